import type { DatabaseSync } from 'node:sqlite';
import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { loadDay, openWarehouse } from '../../_shared/warehouse.ts';

interface Params {
  readonly region_id: string;
  readonly day: string;
  readonly base_day?: string;
}

export function execute(
  { region_id: region, day, base_day: base = dayBefore(day) }: Params,
  { dataDir }: ExecutionContext,
): unknown {
  const warehouse = openWarehouse(dataDir);
  if (warehouse.prepare('SELECT 1 FROM regions WHERE id = ?').get(region) === undefined) {
    throw new ToolError(
      'NOT_FOUND',
      `There is no region ${region}. Get the id from region.lookup.`,
      { details: { reason: 'region' } },
    );
  }
  const total = totalOf(warehouse, region, day);
  const baseTotal = totalOf(warehouse, region, base);
  const difference = total - baseTotal;
  return {
    region_id: region,
    day,
    base_day: base,
    total_cents: total,
    base_total_cents: baseTotal,
    difference_cents: difference,
    change_percent: baseTotal === 0 ? null : Math.round((difference / baseTotal) * 1_000) / 10,
  };
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

function totalOf(warehouse: DatabaseSync, region: string, day: string): number {
  loadDay(warehouse, region, day);
  const sum = warehouse
    .prepare(
      'SELECT coalesce(sum(amount_cents), 0) AS total FROM revenue WHERE region = ? AND day = ?',
    )
    .get(region, day);
  return Number(sum?.['total']);
}
