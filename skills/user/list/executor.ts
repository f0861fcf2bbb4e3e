import type { ExecutionContext } from '../../../src/index.ts';
import { openWorkplace } from '../../_shared/workplace.ts';

interface Params {
  readonly team?: string | null;
  readonly contains?: string | null;
}

export function execute(
  { team = null, contains = null }: Params,
  { dataDir }: ExecutionContext,
): unknown {
  const users = openWorkplace(dataDir)
    .prepare(
      'SELECT id, name, name_zh, email, team FROM users WHERE (?1 IS NULL OR team = ?1) AND (?2 IS NULL OR instr(lower(name), lower(?2)) > 0 OR instr(name_zh, ?2) > 0) ORDER BY id',
    )
    .all(team, contains);
  return { users: users.map((user) => ({ ...user })) };
}
