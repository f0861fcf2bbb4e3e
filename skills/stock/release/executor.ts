import type { ExecutionContext } from '../../../src/index.ts';
import { atomically, openShop } from '../../_shared/shop.ts';

export function execute(
  { reservation }: { readonly reservation: string },
  { dataDir }: ExecutionContext,
): unknown {
  const shop = openShop(dataDir);
  return atomically(shop, () => {
    const row = shop
      .prepare(
        'UPDATE reservations SET released = 1 WHERE id = ? AND released = 0 RETURNING sku, quantity',
      )
      .get(reservation);
    if (row === undefined) return { released: false };
    shop
      .prepare('UPDATE stock SET available = available + ? WHERE sku = ?')
      .run(Number(row['quantity']), String(row['sku']));
    return { released: true };
  });
}
