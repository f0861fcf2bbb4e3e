import type { ExecutorSpec, SideEffect } from '../contract/contract.ts';

/** What `skillwright new skill` is asked for. */
export interface SkillPlan {
  readonly domain: string;
  readonly action: string;
  readonly kind: ExecutorSpec['kind'];
  readonly effect: SideEffect['kind'];
}

/** The files of a new skill by path under the library: they load without a warning and pass `skillwright test`. */
export function skillFiles(plan: SkillPlan): ReadonlyMap<string, string> {
  const folder = `${plan.domain}/${plan.action}`;
  const step = { ...plan, action: `${plan.action}-step`, kind: 'module' } as const;
  return new Map([
    [`${folder}/SKILL.md`, guide(plan)],
    [`${folder}/schema.json`, `${JSON.stringify(schema(plan, step.action), null, 2)}\n`],
    ...body(plan, step.action).map(([file, text]) => [`${folder}/${file}`, text] as const),
    [`${folder}/skill.test.ts`, plan.kind === 'http' ? httpTest(plan) : exampleTest(plan)],
    // A composite needs a skill to call.
    ...(plan.kind === 'composite' ? skillFiles(step) : []),
  ]);
}

const EFFECTS = {
  none: 'Changes nothing.',
  read: 'Reads only.',
  write: 'Keeps the text in a file.',
} as const;

function guide({ domain, action, effect }: SkillPlan): string {
  return `---
name: ${action}
description: "Returns a text in capital letters. Use to shout. Not for translation. ${EFFECTS[effect]}"
metadata:
  skillwright.id: ${domain}.${action}
---

# ${action}

## When to use
When somebody wants a text in capital letters.

## Steps
1. Send the text as \`text\`.
2. Show \`text\` of the result.

## Pitfalls
Texts of more than 1000 characters are refused: send them in parts.
`;
}

const PARAMETERS = {
  type: 'object',
  properties: {
    text: {
      type: 'string',
      description: 'What to shout, for example "hello".',
      minLength: 1,
      maxLength: 1000,
    },
  },
  required: ['text'],
  additionalProperties: false,
};

const RETURNS = {
  type: 'object',
  properties: { text: { type: 'string', description: 'The text in capital letters.' } },
  required: ['text'],
  additionalProperties: false,
};

function schema(
  { domain, action, kind, effect }: SkillPlan,
  step: string,
): Record<string, unknown> {
  return {
    name: `${domain}.${action}`,
    version: '0.1.0',
    tags: [domain],
    purpose: 'Somebody asks for a text in capital letters.',
    side_effect:
      effect === 'write'
        ? { kind: effect, targets: ['file'], idempotent: false }
        : { kind: effect },
    parameters: PARAMETERS,
    returns: RETURNS,
    rules: { none: 'There is one parameter and its schema says all about it.' },
    aliases: { message: 'text' },
    examples:
      // The address of the service comes with the library's settings: there is nothing to run against yet.
      kind === 'http'
        ? []
        : [
            {
              description: 'Shout a greeting',
              input: { text: 'hello' },
              output: { text: 'HELLO' },
            },
          ],
    queries: ['shout hello', 'write this in capital letters'],
    ...(kind === 'composite'
      ? { dependencies: [{ skill: `${domain}.${step}`, minVersion: '0.1.0' }] }
      : {}),
    ...executor(kind, effect),
  };
}

function executor(kind: SkillPlan['kind'], effect: SkillPlan['effect']): Record<string, unknown> {
  if (kind === 'command') return { executor: { kind, file: 'executor.mjs' } };
  if (kind !== 'http') return {};
  const [method, place] =
    effect === 'write' ? ['POST', {}] : ['GET', { query: { text: '{inputs.text}' } }];
  return { executor: { kind, method, url: '{settings.base}/shout', ...place } };
}

function body(
  { domain, kind, effect }: SkillPlan,
  step: string,
): readonly (readonly [string, string])[] {
  if (kind === 'module') return [['executor.ts', effect === 'write' ? MODULE_WRITE : MODULE]];
  if (kind === 'command') return [['executor.mjs', effect === 'write' ? COMMAND_WRITE : COMMAND]];
  if (kind === 'http') return [];
  const flow = {
    steps: [{ id: 'shout', skill: `${domain}.${step}`, with: { text: '$inputs.text' } }],
    outputs: '$steps.shout.outputs',
  };
  return [['flow.json', `${JSON.stringify(flow, null, 2)}\n`]];
}

const MODULE = `interface Params {
  readonly text: string;
}

/** Answers a call; the parameters have been cleaned and validated. Throw ToolError from 'skillwright' to fail with a code. */
export function execute({ text }: Params): { text: string } {
  return { text: text.toUpperCase() };
}
`;

const MODULE_WRITE = `import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Params {
  readonly text: string;
}

/** Answers a call; the parameters have been cleaned and validated. Throw ToolError from 'skillwright' to fail with a code. */
export async function execute(
  { text }: Params,
  { dataDir, signal }: { readonly dataDir: string; readonly signal: AbortSignal },
): Promise<{ text: string }> {
  const loud = text.toUpperCase();
  signal.throwIfAborted();
  await appendFile(join(dataDir, 'shouts.txt'), \`\${loud}\\n\`);
  return { text: loud };
}
`;

const COMMAND = `// The parameters come as JSON on stdin, the result goes as JSON to stdout; a log belongs on stderr.
import { text } from 'node:stream/consumers';

const params = JSON.parse(await text(process.stdin));
console.log(JSON.stringify({ text: params.text.toUpperCase() }));
`;

const COMMAND_WRITE = `// The parameters come as JSON on stdin, the result goes as JSON to stdout; a log belongs on stderr.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const params = JSON.parse(await text(process.stdin));
const loud = params.text.toUpperCase();
appendFileSync(join(process.env.SKILLWRIGHT_DATA_DIR, 'shouts.txt'), \`\${loud}\\n\`);
console.log(JSON.stringify({ text: loud }));
`;

function exampleTest({ domain, action }: SkillPlan): string {
  return `import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createRuntime } from 'skillwright';

const runtime = await createRuntime({ library: join(import.meta.dirname, '../..') });
after(() => runtime.close());

test('it shouts', async () => {
  const envelope = await runtime.runSkill('${domain}.${action}', { text: 'good morning' });
  assert.deepEqual(envelope.result, { text: 'GOOD MORNING' });
});
`;
}

function httpTest({ domain, action }: SkillPlan): string {
  const name = `${domain}.${action}`;
  return `import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { createRuntime } from 'skillwright';

const service = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://service');
  const sent = request.method === 'POST' ? ((await json(request)) as { text: string }).text : searchParams.get('text');
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ text: sent?.toUpperCase() }));
}).listen(0, '127.0.0.1');
await once(service, 'listening');
const { port } = service.address() as { port: number };

const runtime = await createRuntime({
  library: join(import.meta.dirname, '../..'),
  settings: { '${name}': { base: \`http://127.0.0.1:\${port}\` } },
  allowPrivate: ['127.0.0.1'],
});
after(async () => {
  await runtime.close();
  service.close();
});

test('it shouts', async () => {
  const envelope = await runtime.runSkill('${name}', { text: 'good morning' });
  assert.deepEqual(envelope.result, { text: 'GOOD MORNING' });
});
`;
}
