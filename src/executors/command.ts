import type { ExecutionContext } from '../contract/execution-context.ts';
import { closedFailure } from './closed-failure.ts';
import type { Executor, Prepared, Run } from './executor.ts';
import { compileLaunch, type CommandSpec } from './launch.ts';
import { loadCheck } from './module.ts';
import { ProcessGroup, type Launch } from './process-group.ts';
import { runOnce } from './run-once.ts';
import { WorkerPool } from './worker-pool.ts';

/** Habits of the command executor. */
export interface CommandOptions {
  /** How long an unused pooled worker lives, in ms. Default 60000. */
  readonly idleMs?: number;
}

/**
 * Runs skills whose body is a program in any language.
 *
 * `once` (default): a process a call. It reads the parameters as JSON on stdin, writes the result on
 * stdout and exits with 0. It fails by writing `{"error": {"code", "message", "details", "retryable"}}`
 * on stdout, or by another exit status. On stderr it may write anything; a line
 * `{"progress": {"done": 1, "total": 3, "message": "..."}}` there reports progress. The environment
 * holds the safe few variables, what the contract names, the declared secrets, and SKILLWRIGHT_SKILL,
 * SKILLWRIGHT_TRACE_ID, SKILLWRIGHT_IDEMPOTENCY_KEY, SKILLWRIGHT_SETTINGS (JSON) and SKILLWRIGHT_DATA_DIR.
 *
 * `pooled`: the process stays, reads one JSON line `{"id", "params", "context"}` a call and answers each
 * by one line `{"id", "result"}` or `{"id", "error"}`, before it optionally `{"id", "progress"}`. It may
 * be killed at any moment, and must write nothing else on stdout. In Python:
 *
 *     for line in sys.stdin:
 *         request = json.loads(line)
 *         try:
 *             answer = {"result": execute(request["params"], request["context"])}
 *         except ValueError as error:
 *             answer = {"error": {"code": "INVALID_PARAMS", "message": str(error)}}
 *         print(json.dumps({"id": request["id"], **answer}), flush=True)
 *
 * and in JavaScript:
 *
 *     for await (const line of createInterface({ input: process.stdin })) {
 *       const { id, params, context } = JSON.parse(line);
 *       const answer = await execute(params, context).then(
 *         (result) => ({ result }),
 *         (error) => ({ error: { code: 'EXECUTION_ERROR', message: error.message } }),
 *       );
 *       console.log(JSON.stringify({ id, ...answer }));
 *     }
 */
export function createCommandExecutor({ idleMs = 60_000 }: CommandOptions = {}): Executor {
  const groups = new Set<ProcessGroup>();
  let closed = false;
  const start = (launch: Launch): ProcessGroup => {
    if (closed) throw closedFailure();
    const group = new ProcessGroup(launch);
    groups.add(group);
    void group.ended.then(() => groups.delete(group));
    return group;
  };
  return {
    kind: 'command',
    async prepare(skill): Promise<Prepared> {
      const spec = skill.contract.executor as CommandSpec;
      const { mode, pool_size: size = 2 } = spec;
      const launch = compileLaunch(skill, spec);
      const check = await loadCheck(skill);
      const once: Run = (params, context) =>
        runOnce(() => start(launch(context, callEnvironment(context))), params, context);
      const pool = new WorkerPool({ size, idleMs, start: (context) => start(launch(context, {})) });
      const pooled: Run = (params, context) => pool.run(params, context);
      const run = mode === 'pooled' ? pooled : once;
      return { run, stops: true, ...(check === undefined ? {} : { check }) };
    },
    async close() {
      closed = true;
      for (const group of groups) group.kill();
      await Promise.all([...groups].map((group) => group.ended));
    },
  };
}

function callEnvironment({ traceId, idempotencyKey }: ExecutionContext): Record<string, string> {
  return { SKILLWRIGHT_TRACE_ID: traceId, SKILLWRIGHT_IDEMPOTENCY_KEY: idempotencyKey };
}
