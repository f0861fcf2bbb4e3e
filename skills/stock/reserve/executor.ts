import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { atomically, openShop } from '../../_shared/shop.ts';

interface Params {
  readonly sku: string;
  readonly quantity: number;
}

export function execute(
  { sku, quantity }: Params,
  { dataDir, idempotencyKey }: ExecutionContext,
): unknown {
  const shop = openShop(dataDir);
  const article = shop.prepare('SELECT price_cents FROM stock WHERE sku = ?').get(sku);
  if (article === undefined)
    throw new ToolError(
      'NOT_FOUND',
      `There is no article ${sku}. Ask the user for the right number.`,
      { details: { reason: 'sku' } },
    );
  atomically(shop, () => {
    const made = shop
      .prepare('INSERT OR IGNORE INTO reservations (id, sku, quantity) VALUES (?, ?, ?)')
      .run(idempotencyKey, sku, quantity);
    if (made.changes === 0) return;
    const taken = shop
      .prepare('UPDATE stock SET available = available - ?1 WHERE sku = ?2 AND available >= ?1')
      .run(quantity, sku);
    if (taken.changes === 1) return;
    throw new ToolError(
      'EXECUTION_ERROR',
      `There are not ${quantity} of ${sku} in stock. Look with stock.check and ask for fewer.`,
      {
        details: { reason: 'conflict' },
        retryable: false,
      },
    );
  });
  return { reservation: idempotencyKey, total_cents: Number(article['price_cents']) * quantity };
}
