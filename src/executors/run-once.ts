import { isPlainObject, parseJson, type JsonObject } from '../base/json.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import { RawOutput } from './executor.ts';
import { MAX_OUTPUT, tooMuchOutput } from './output-limit.ts';
import { endedFailure, reportedFailure } from './process-failure.ts';
import type { ProcessGroup } from './process-group.ts';
import { StderrReader } from './stderr-reader.ts';

/**
 * Runs a program for one call: parameters as JSON on stdin, the result on stdout. Rejects with a
 * ToolError when the program fails, and with the signal's reason once an aborted program is gone.
 */
export async function runOnce(
  start: () => ProcessGroup,
  params: JsonObject,
  context: ExecutionContext,
): Promise<RawOutput> {
  const { signal } = context;
  signal.throwIfAborted();
  const group = start();
  const kill = (): void => group.kill();
  signal.addEventListener('abort', kill, { once: true });
  const chunks: Buffer[] = [];
  let size = 0;
  group.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_OUTPUT) return group.kill();
    chunks.push(chunk);
  });
  const stderr = new StderrReader((done, total, message) => context.progress(done, total, message));
  group.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  group.stdin.end(JSON.stringify(params));
  const ending = await group.ended;
  signal.removeEventListener('abort', kill);
  if (signal.aborted) throw signal.reason;
  if (size > MAX_OUTPUT) throw tooMuchOutput();
  const output = RawOutput.from(Buffer.concat(chunks));
  const report = errorReport(output.text);
  if (report !== undefined) throw reportedFailure(report, stderr.take());
  if (ending.status !== 0) throw endedFailure(group.program, ending, stderr.take());
  return output;
}

/** What stands under `error` when the whole output is `{"error": {...}}`. */
function errorReport(text: string): unknown {
  if (!/^\s*\{\s*"error"\s*:\s*\{/.test(text)) return undefined;
  try {
    const value = parseJson(text);
    return isPlainObject(value) && Object.keys(value).length === 1 ? value['error'] : undefined;
  } catch {
    return undefined;
  }
}
