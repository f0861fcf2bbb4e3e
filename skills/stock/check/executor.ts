import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { openShop } from '../../_shared/shop.ts';

export function execute({ sku }: { readonly sku: string }, { dataDir }: ExecutionContext): unknown {
  const article = openShop(dataDir)
    .prepare('SELECT sku, name, available, price_cents FROM stock WHERE sku = ?')
    .get(sku);
  if (article !== undefined) return { ...article };
  throw new ToolError(
    'NOT_FOUND',
    `There is no article ${sku}. Ask the user for the right number.`,
    { details: { reason: 'sku' } },
  );
}
