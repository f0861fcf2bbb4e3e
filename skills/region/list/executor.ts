import type { ExecutionContext } from '../../../src/index.ts';
import { openWarehouse } from '../../_shared/warehouse.ts';

export function execute(_params: object, { dataDir }: ExecutionContext): unknown {
  const rows = openWarehouse(dataDir)
    .prepare('SELECT id, name, name_zh, template FROM regions ORDER BY id')
    .all();
  return { regions: rows.map((row) => ({ ...row })) };
}
