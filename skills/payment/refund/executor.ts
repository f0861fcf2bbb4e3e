import type { ExecutionContext } from '../../../src/index.ts';
import { openShop } from '../../_shared/shop.ts';

export function execute(
  { charge }: { readonly charge: string },
  { dataDir }: ExecutionContext,
): unknown {
  const done = openShop(dataDir)
    .prepare('UPDATE charges SET refunded = 1 WHERE id = ? AND refunded = 0')
    .run(charge);
  return { refunded: done.changes === 1 };
}
