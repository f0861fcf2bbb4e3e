import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { monotonicMs } from '../base/clock.ts';
import { compileChecker } from '../contract/checker.ts';
import type { Example } from '../contract/contract.ts';
import type { Skill } from '../registry/skill.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { extremesOf } from './extremes.ts';
import { openLibrary } from './open-library.ts';
import { runOwnTest } from './run-own-test.ts';

/** How many of one kind of check were made and how many held. */
export interface Tally {
  readonly passed: number;
  readonly total: number;
}

/** What testing one skill found. */
export interface SkillReport {
  readonly skill: string;
  readonly version: string;
  readonly examples: Tally;
  readonly extremes: Tally;
  /** Its own skill.test.ts: 0 or 1. */
  readonly tests: Tally;
  /** ms. */
  readonly duration: number;
  /** One line a failure: which check, and what happened instead. */
  readonly failures: readonly string[];
}

/**
 * Tests one skill of a library for real, writes included, in a data folder of its own that is thrown
 * away afterwards: its examples, every parameter its contract forbids, and its skill.test.ts.
 */
export async function testSkill(skill: Skill, library: string | undefined): Promise<SkillReport> {
  const startedAt = monotonicMs();
  const dataDir = await mkdtemp(join(tmpdir(), 'skillwright-test-'));
  const failures: string[] = [];
  const count = (found: readonly (string | undefined)[]): Tally => {
    const failed = found.filter((failure) => failure !== undefined);
    failures.push(...failed);
    return { passed: found.length - failed.length, total: found.length };
  };
  const runtime = await openLibrary(library, { dataDir: join(dataDir, 'examples') });
  try {
    const examples = count(await runExamples(runtime, skill));
    const extremes = count(await runExtremes(runtime, skill));
    const tests = count(await runOwnTest(skill, join(dataDir, 'tests')));
    const { name, version } = skill.contract;
    return {
      skill: name,
      version,
      examples,
      extremes,
      tests,
      duration: monotonicMs() - startedAt,
      failures,
    };
  } finally {
    await runtime.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

type Finding = string | undefined;

async function runExamples(runtime: Runtime, { contract }: Skill): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const example of contract.examples)
    findings.push(await runExample(runtime, contract.name, example));
  return findings;
}

async function runExample(
  runtime: Runtime,
  name: string,
  { description, input, output }: Example,
): Promise<Finding> {
  const envelope = await runtime.runSkill(name, input);
  const label = `example "${description}"`;
  if (!envelope.success) return `${label}: ${envelope.error.code} ${envelope.error.message}`;
  if (output === undefined) return undefined;
  const result: unknown = JSON.parse(JSON.stringify(envelope.result));
  if (isDeepStrictEqual(result, output)) return undefined;
  const instead =
    envelope.metadata.stale === true
      ? ' by a fallback, since what it asks first failed (is the service it needs running?)'
      : '';
  return `${label}: expected ${JSON.stringify(output)}, got ${JSON.stringify(result)}${instead}`;
}

async function runExtremes(
  runtime: Runtime,
  { contract, defaults }: Skill,
): Promise<readonly Finding[]> {
  const checker = compileChecker(contract, defaults);
  const example = checker.example();
  if (example === undefined)
    return ['no valid call could be made up from the contract; add an example'];
  const findings: Finding[] = [];
  for (const { label, params } of extremesOf(contract, checker.clean(example).params, defaults)) {
    const found = await runtime.validateSkill(contract.name, params);
    const stopped = !found.valid && found.error.code === 'INVALID_PARAMS';
    findings.push(
      stopped
        ? undefined
        : `extreme "${label}": ${found.valid ? 'was let through' : found.error.code}, expected INVALID_PARAMS`,
    );
  }
  return findings;
}
