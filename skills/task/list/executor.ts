import type { ExecutionContext } from '../../../src/index.ts';
import { openWorkplace } from '../../_shared/workplace.ts';

interface Params {
  readonly status: 'open' | 'done' | 'any';
  readonly assignee?: string | null;
  readonly contains?: string | null;
  readonly limit: number;
}

const MATCHES = `FROM tasks WHERE (?1 = 'any' OR status = ?1) AND (?2 IS NULL OR assignee = ?2) AND (?3 IS NULL OR instr(lower(title), lower(?3)) > 0)`;

export function execute(
  { status, assignee = null, contains = null, limit }: Params,
  { dataDir }: ExecutionContext,
): unknown {
  const workplace = openWorkplace(dataDir);
  const count = workplace
    .prepare(`SELECT count(*) AS total ${MATCHES}`)
    .get(status, assignee, contains);
  const tasks = workplace
    .prepare(
      `SELECT id, title, notes, due, priority, status, assignee ${MATCHES} ORDER BY id DESC LIMIT ?4`,
    )
    .all(status, assignee, contains, limit);
  return { total: Number(count?.['total']), tasks: tasks.map((task) => ({ ...task })) };
}
