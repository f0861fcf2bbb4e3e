import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { compile, createRuntime, type Contract } from '../../src/index.ts';
import { isStrict, shownParameters } from '../support/contract-of-schema.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const root = join(import.meta.dirname, '../..');

/** The contracts of the sample library. */
async function samples(): Promise<readonly Contract[]> {
  const { path, remove } = temporaryFolder();
  const runtime = await createRuntime({ library: join(root, 'skills'), dataDir: path });
  const contracts = runtime.snapshot.skills.map(({ contract }) => contract);
  await runtime.close();
  remove();
  return contracts;
}

/** Each vendor's own type for a list of tools. */
const TYPES: Readonly<Record<string, readonly [source: string, type: string]>> = {
  'openai.chat': [
    "import type OpenAI from 'openai';",
    'OpenAI.Chat.Completions.ChatCompletionTool[]',
  ],
  'openai.strict': [
    "import type OpenAI from 'openai';",
    'OpenAI.Chat.Completions.ChatCompletionTool[]',
  ],
  'openai.responses': ["import type OpenAI from 'openai';", 'OpenAI.Responses.Tool[]'],
  anthropic: ["import type Anthropic from '@anthropic-ai/sdk';", 'Anthropic.Tool[]'],
  'anthropic.strict': ["import type Anthropic from '@anthropic-ai/sdk';", 'Anthropic.Tool[]'],
  mcp: ["import type { Tool } from '@modelcontextprotocol/client';", 'Tool[]'],
};

suite('tools as the vendors’ SDKs have them', () => {
  test('have the types of those SDKs', async (t) => {
    const contracts = await samples();
    const { path, remove } = temporaryFolder();
    t.after(remove);
    symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
    const files = Object.entries(TYPES).map(([dialect, [source, type]], index) => {
      const file = join(path, `tools-${index}.ts`);
      const { tools } = compile(contracts, dialect);
      const text = JSON.stringify(tools, null, 1);
      writeFileSync(file, `${source}\nexport const tools: ${type} = ${text};\n`);
      return file;
    });
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'esnext',
      '--types',
      'node',
    ];
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { status, stdout } = spawnSync(tsc, [...options, ...files], {
      cwd: path,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout.slice(0, 3_000));
  });

  test('strict ones are what OpenAI’s own transform would make of them', async () => {
    const { tools } = compile(await samples(), 'openai.strict');
    const strict = tools.filter(isStrict);
    assert.ok(strict.length > 30, `${strict.length}`);
    for (const tool of strict) {
      const schema = shownParameters(tool);
      assert.deepEqual(toStrictJsonSchema(structuredClone(schema) as never), schema);
    }
  });
});
