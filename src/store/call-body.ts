import type { CallRow } from '../contract/call-row.ts';

/** A call row as one line of JSON text, its parameters as the JSON they are. */
export function callBody(row: CallRow): string {
  const { params, ...head } = row;
  return `${JSON.stringify(head).slice(0, -1)},"params":${params}}`;
}

/** All of a row in which a caller or a body could have put a secret, as one text. */
export function freeText({
  conversation,
  caller,
  skill,
  reason,
  message,
  cause,
  params,
}: CallRow): string {
  return `${conversation}\n${caller}\n${skill}\n${reason}\n${message}\n${cause}\n${params}`;
}

/** The row that `callBody` wrote down. */
export function readCall(body: string): CallRow {
  const row = JSON.parse(body) as CallRow & { readonly params: unknown };
  return { ...row, params: JSON.stringify(row.params) };
}
