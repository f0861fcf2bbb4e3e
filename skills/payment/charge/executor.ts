import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { openShop } from '../../_shared/shop.ts';

interface Params {
  readonly account: string;
  readonly amount_cents: number;
}

export function execute(
  { account, amount_cents: amount }: Params,
  { dataDir, idempotencyKey }: ExecutionContext,
): unknown {
  if (account.endsWith('-blocked')) {
    throw new ToolError(
      'UNAUTHORISED',
      'That account is blocked. Ask the user for another account.',
      { details: { reason: 'blocked' } },
    );
  }
  openShop(dataDir)
    .prepare('INSERT OR IGNORE INTO charges (id, account, amount_cents) VALUES (?, ?, ?)')
    .run(idempotencyKey, account, amount);
  return { charge: idempotencyKey };
}
