import { hash } from 'node:crypto';
import type { AuditRow } from './store.ts';

/** The hash before the first row of a chain. */
export const GENESIS = '0'.repeat(64);

/** SHA-256 hex that binds an audit row to its writer, its place and the row before. */
export function chainHash({ writer, seq, prev, body }: Omit<AuditRow, 'hash' | 'kind'>): string {
  return hash('sha256', `${writer}\n${seq}\n${prev}\n${body}`);
}
