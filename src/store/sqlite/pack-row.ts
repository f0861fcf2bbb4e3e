import type { CallRow } from '../../contract/call-row.ts';

/** One field of a packed row. */
export type Field = string | number | boolean | null;

const WIDTH = 18;

/** Appends a row's fields: a list of plain values goes to another thread at half the price of objects. */
export function packRow(row: CallRow, fields: Field[]): void {
  fields.push(
    row.at,
    row.traceId,
    row.spanId,
    row.parentId,
    row.conversation,
    row.turn,
    row.caller,
    row.skill,
    row.version,
    row.effect,
    row.ok,
    row.code,
    row.reason,
    row.message,
    row.attempts,
    row.duration,
    row.cause,
    row.params,
  );
}

/** The rows that were packed, in their order. */
export function unpackRows(fields: readonly Field[]): readonly CallRow[] {
  return Array.from({ length: fields.length / WIDTH }, (_, index) =>
    unpackRow(fields.slice(index * WIDTH, (index + 1) * WIDTH)),
  );
}

function unpackRow(fields: readonly Field[]): CallRow {
  const [at, traceId, spanId, parentId, conversation, turn, caller, skill, version, ...rest] =
    fields;
  const [effect, ok, code, reason, message, attempts, duration, cause, params] = rest;
  return {
    at,
    traceId,
    spanId,
    parentId,
    conversation,
    turn,
    caller,
    skill,
    version,
    effect,
    ok,
    code,
    reason,
    message,
    attempts,
    duration,
    cause,
    params,
  } as CallRow;
}
