import type { Wire } from '../wire-port.ts';
import { objectAt, textOf } from './reading.ts';

/** MCP: the parameters of one tools/call, and its result. */
export const mcpWire: Wire = {
  calls: (request) => {
    const params =
      objectAt(request)['params'] === undefined ? objectAt(request) : objectAt(request, 'params');
    return [
      { id: '', name: textOf(params['name']), arguments: params['arguments'], complete: true },
    ];
  },
  messages: (_request, results) =>
    results.map(({ text, error }) => ({
      content: [{ type: 'text', text }],
      ...(error ? { isError: true } : {}),
    })),
};
