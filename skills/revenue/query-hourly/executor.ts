import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { loadDay, openWarehouse } from '../../_shared/warehouse.ts';

interface Params {
  readonly region_id: string;
  readonly day: string;
}

export function execute(
  { region_id: region, day }: Params,
  { dataDir, settings }: ExecutionContext,
): unknown {
  // The settings let an operator (or a rehearsal) take the warehouse out of service.
  if (settings['offline'] === true) {
    throw new ToolError(
      'UPSTREAM_ERROR',
      'The warehouse is out of service; use revenue.snapshot for the day before.',
      { details: { reason: 'warehouse' } },
    );
  }
  const warehouse = openWarehouse(dataDir);
  loadDay(warehouse, region, day);
  const hours = warehouse
    .prepare(
      'SELECT hour, amount_cents, orders FROM revenue WHERE region = ? AND day = ? ORDER BY hour',
    )
    .all(region, day);
  const sum = (key: 'amount_cents' | 'orders'): number =>
    hours.reduce((total, row) => total + Number(row[key]), 0);
  return {
    region_id: region,
    day,
    source: 'live figures',
    total_cents: sum('amount_cents'),
    orders: sum('orders'),
    hours: hours.map((row) => ({ ...row })),
  };
}
