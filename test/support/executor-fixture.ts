import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract, ExecutorSpec } from '../../src/contract/contract.ts';
import type { ExecutionContext } from '../../src/contract/execution-context.ts';
import { ToolError } from '../../src/contract/tool-error.ts';
import type { Skill } from '../../src/registry/skill.ts';

/** A folder with these files, removed when the test ends. */
export function folderOf(t: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A skill with this executor and nothing else of interest. */
export function skillOf(
  executor: ExecutorSpec,
  folder?: string,
  contract: Partial<Contract> = {},
): Skill {
  return {
    contract: {
      name: 'probe.run',
      version: '1.0.0',
      description: 'Probes an executor.',
      tags: [],
      purpose: 'testing',
      preconditions: [],
      related: [],
      side_effect: { kind: 'none' },
      parameters: { type: 'object' },
      rules: { none: 'a probe' },
      aliases: {},
      errors: [],
      secrets: [],
      examples: [],
      queries: [],
      dependencies: [],
      permissions: [],
      policy: {},
      executor,
      ...contract,
    },
    folder,
    guidance: '',
    defaults: {},
    settings: {},
  };
}

/** A context as the mediator gives it, with a signal that is never aborted unless one is given. */
export function contextOf(given: Partial<ExecutionContext> = {}): ExecutionContext {
  return {
    signal: new AbortController().signal,
    traceId: '0123456789abcdef0123456789abcdef',
    idempotencyKey: 'key-1',
    attempt: 1,
    caller: { id: 'tester' },
    secrets: {},
    settings: {},
    dataDir: tmpdir(),
    progress() {},
    async invoke() {
      throw new Error('A probe invokes nothing.');
    },
    ...given,
  };
}

/** True when no process of that id runs any more; one that waits to be reaped counts as gone. */
export async function isGone(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    return / Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** Resolves when no process of that id runs any more. */
export async function gone(pid: number): Promise<void> {
  while (!(await isGone(pid))) await sleep(1);
}

/** The ToolError a call fails with. */
export async function failure(work: unknown): Promise<ToolError> {
  const error: unknown = await Promise.resolve(work).then(
    (value) => assert.fail(`It should have failed, but gave ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (ToolError.is(error)) return error;
  throw error;
}

/** Resolves with the number a program reports as its progress: tells that it has come so far. */
export function reported(): { progress: ExecutionContext['progress']; pid: Promise<number> } {
  const { promise: pid, resolve } = Promise.withResolvers<number>();
  return { progress: resolve, pid };
}
