import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { openWarehouse } from '../../_shared/warehouse.ts';

export function execute(
  { region }: { readonly region: string },
  { dataDir }: ExecutionContext,
): unknown {
  const warehouse = openWarehouse(dataDir);
  const wanted = region.trim().toLowerCase();
  const found = warehouse
    .prepare(
      'SELECT id, name, name_zh, template FROM regions WHERE lower(id) = ?1 OR lower(name) = ?1 OR name_zh = ?1',
    )
    .get(wanted);
  if (found !== undefined) return { ...found };
  const names = warehouse
    .prepare('SELECT name FROM regions ORDER BY name')
    .all()
    .map(({ name }) => String(name));
  throw new ToolError(
    'NOT_FOUND',
    `There is no such region. The regions are ${names.join(', ')}; ask the user which one.`,
    {
      details: { reason: 'region', available: names },
    },
  );
}
