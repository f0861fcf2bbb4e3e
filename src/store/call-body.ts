import type { CallRow } from './store.ts';

/**
 * A call row as one line of JSON text, its parameters as the JSON they are. Put together by hand: this
 * runs for every call, and most of its parts are known to need no escaping.
 */
export function callBody(row: CallRow): string {
  return `{"at":${row.at},"traceId":"${row.traceId}","spanId":"${row.spanId}","parentId":${quoted(row.parentId)},"conversation":${JSON.stringify(row.conversation)},"turn":${row.turn},"caller":${JSON.stringify(row.caller)},"skill":"${row.skill}","version":"${row.version}","effect":"${row.effect}","ok":${row.ok},"code":${quoted(row.code)},"reason":${quoted(row.reason)},"message":${quoted(row.message)},"attempts":${row.attempts},"duration":${row.duration},"params":${row.params}}`;
}

/** The row that `callBody` wrote down. */
export function readCall(body: string): CallRow {
  const row = JSON.parse(body) as CallRow & { readonly params: unknown };
  return { ...row, params: JSON.stringify(row.params) };
}

function quoted(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
