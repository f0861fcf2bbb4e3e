import { publish } from '../../telemetry/channel.ts';
import type { Stage } from '../stage.ts';

/** Says that a call begins; its end is told with the row that `audit` writes. */
export const trace: Stage = {
  name: 'trace',
  wrap:
    (next, { contract }) =>
    (call) => {
      publish('skillwright:call-start', () => ({
        traceId: call.traceId,
        spanId: call.spanId,
        parentId: call.parentId,
        skill: contract.name,
        version: contract.version,
      }));
      return next(call);
    },
};
