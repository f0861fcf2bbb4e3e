import { ToolError, type ExecutionContext } from '../../../src/index.ts';
import { openWorkplace } from '../../_shared/workplace.ts';

export function execute({ id }: { readonly id: string }, { dataDir }: ExecutionContext): unknown {
  const user = openWorkplace(dataDir)
    .prepare('SELECT id, name, name_zh, email, team FROM users WHERE id = ?')
    .get(id);
  if (user !== undefined) return { ...user };
  throw new ToolError('NOT_FOUND', `There is no user ${id}. Use user.list to find the right id.`, {
    details: { reason: 'user' },
  });
}
