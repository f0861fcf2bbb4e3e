import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { openShop } from '../../_shared/shop.ts';

interface Params {
  readonly sku: string;
  readonly quantity: number;
  readonly account: string;
  readonly charge: string;
}

export function execute(
  { sku, quantity, account, charge }: Params,
  { dataDir, idempotencyKey }: ExecutionContext,
): unknown {
  const shop = openShop(dataDir);
  if (
    shop.prepare('SELECT 1 FROM charges WHERE id = ? AND refunded = 0').get(charge) === undefined
  ) {
    throw new ToolError(
      'NOT_FOUND',
      'There is no such open charge. Charge the account first, or use order.place.',
      { details: { reason: 'charge' } },
    );
  }
  shop
    .prepare('INSERT OR IGNORE INTO orders VALUES (?, ?, ?, ?, ?)')
    .run(idempotencyKey, sku, quantity, account, charge);
  return { order: idempotencyKey };
}
