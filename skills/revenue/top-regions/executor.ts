import type { ExecutionContext } from '../../../src/index.ts';
import { loadDay, openWarehouse } from '../../_shared/warehouse.ts';

export function execute({ day }: { readonly day: string }, { dataDir }: ExecutionContext): unknown {
  const warehouse = openWarehouse(dataDir);
  for (const { id } of warehouse.prepare('SELECT id FROM regions').all())
    loadDay(warehouse, String(id), day);
  const regions = warehouse
    .prepare(
      'SELECT id AS region_id, name, coalesce(sum(amount_cents), 0) AS total_cents FROM regions LEFT JOIN revenue ON region = id AND day = ? GROUP BY id ORDER BY total_cents DESC, id',
    )
    .all(day);
  return { day, regions: regions.map((row) => ({ ...row })) };
}
