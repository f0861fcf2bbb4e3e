import { channel } from 'node:diagnostics_channel';
import type { CallRow } from '../contract/call-row.ts';

/** What is published, and where: `node:diagnostics_channel` names with the message each carries. */
export interface Events {
  /** A call or step is about to go through the stages. */
  'skillwright:call-start': {
    readonly traceId: string;
    readonly spanId: string;
    readonly parentId: string | null;
    readonly skill: string;
    readonly version: string;
  };
  /** A call or step has ended. `cause` is what was thrown underneath; treat it as confidential. */
  'skillwright:call-end': { readonly row: CallRow; readonly cause: unknown };
  /** A body settled after its call had been answered. */
  'skillwright:late': { readonly traceId: string; readonly skill: string; readonly ok: boolean };
  /** A circuit opened or closed. */
  'skillwright:circuit': { readonly skill: string; readonly open: boolean };
  /** The store could not take a row. */
  'skillwright:store-failed': { readonly error: unknown };
}

const channels = new Map<keyof Events, ReturnType<typeof channel>>();

/** Publishes an event; costs a look-up when nobody listens, since the message is built only then. */
export function publish<Name extends keyof Events>(name: Name, build: () => Events[Name]): void {
  let open = channels.get(name);
  if (open === undefined) channels.set(name, (open = channel(name)));
  if (open.hasSubscribers) open.publish(build());
}
