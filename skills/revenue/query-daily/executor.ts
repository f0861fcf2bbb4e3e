import type { ExecutionContext, Violation } from '../../../src/index.ts';
import { loadDay, openWarehouse } from '../../_shared/warehouse.ts';

interface Params {
  readonly region_id: string;
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
const MAX_DAYS = 62;

function daysOf({ from, to }: Params): string[] {
  const first = Date.parse(from);
  const count = Math.round((Date.parse(to) - first) / DAY_MS) + 1;
  return Array.from({ length: Math.min(count, MAX_DAYS + 1) }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  );
}

export function check(params: Params): readonly Violation[] {
  if (daysOf(params).length <= MAX_DAYS) return [];
  return [
    {
      path: '/to',
      rule: 'span',
      message: `the span has over ${MAX_DAYS} days`,
      suggestion: 'ask for a shorter span',
    },
  ];
}

export function execute(params: Params, { dataDir }: ExecutionContext): unknown {
  const warehouse = openWarehouse(dataDir);
  for (const day of daysOf(params)) loadDay(warehouse, params.region_id, day);
  const days = warehouse
    .prepare(
      'SELECT day, sum(amount_cents) AS amount_cents, sum(orders) AS orders FROM revenue WHERE region = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day',
    )
    .all(params.region_id, params.from, params.to);
  return {
    total_cents: days.reduce((total, { amount_cents: amount }) => total + Number(amount), 0),
    days: days.map((row) => ({ ...row })),
  };
}
