import { tool as langchainTool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { asSchema } from 'ai';
import { z } from 'zod';
import { compile, decodeCall, defineSkill, type Contract } from '../src/index.ts';
import { order } from './contracts.ts';
import { benchOptions, costTable, goal, measure, median } from './harness.ts';

const COUNT = 1_000;
const { json, rounds } = benchOptions();

/** Contracts that no cache knows yet: each round compiles its own. */
function contracts(): readonly Contract[] {
  return Array.from({ length: COUNT }, (_, index) => {
    const { contract } = defineSkill({
      name: `order.create-${index}`,
      version: '1.0.0',
      description: 'Creates an order. Use when somebody buys something. Returns its number.',
      purpose: 'Measured.',
      side_effect: { kind: 'write', targets: ['database'] },
      parameters: structuredClone(order.schema),
      rules: { none: 'measured' },
      execute: () => null,
    });
    return contract;
  });
}

/** CPU ms that the calling thread spends on `work`. */
function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const peers = {
  '@langchain/core convertToOpenAITool': () => {
    const tools = Array.from({ length: COUNT }, (_, index) =>
      langchainTool(() => '', {
        name: `t${index}`,
        description: 'd',
        schema: structuredClone(order.schema) as never,
      }),
    );
    return cpuOf(() => void tools.map((one) => convertToOpenAITool(one)));
  },
  'AI SDK asSchema of zod': () => {
    const schemas = Array.from({ length: COUNT }, () => z.fromJSONSchema(order.schema as never));
    return cpuOf(() => void schemas.map((one) => asSchema(one as never).jsonSchema));
  },
};
const ours = ['openai.strict', 'openai.chat', 'anthropic.strict', 'gemini.parameters'];

const samples = new Map<string, number[]>();
const add = (name: string, ms: number): void =>
  void samples.set(name, [...(samples.get(name) ?? []), ms]);
for (let round = 0; round < rounds; round++) {
  for (const dialect of ours) {
    const list = contracts();
    add(
      `Skillwright, ${dialect}`,
      cpuOf(() => void compile(list, dialect)),
    );
  }
  for (const [name, run] of Object.entries(peers)) add(name, run());
}

const [first] = contracts();
if (first === undefined) throw new Error('There is nothing to decode.');
const compiled = compile(first, 'openai.strict');
const params = { ...order.params, note: 'x'.repeat(500) };
const text = JSON.stringify(params);
const call = { id: '1', name: 'order_create-0', arguments: text, complete: true };
const costs = await measure(
  [
    { name: 'JSON.parse', run: () => JSON.parse(text) as unknown },
    {
      name: `Skillwright, decodeCall of ${text.length} characters`,
      run: () => {
        if (!decodeCall(compiled, call).ok) throw new Error('The call was refused.');
      },
    },
  ],
  rounds,
);

const results = [...samples].map(([name, all]) => ({ name, ms: median(all) }));
if (json) console.log(JSON.stringify({ compile: results, decode: costs }));
else {
  const base = results[0]?.ms ?? Number.NaN;
  console.log(`### Compiling ${COUNT} contracts of twelve parameters\n`);
  console.log('| what | CPU ms | ratio |\n|---|---|---|');
  for (const { name, ms } of results)
    console.log(`| ${name} | ${ms.toFixed(1)} | ${(ms / base).toFixed(2)}x |`);
  console.log(`\n${costTable('Decoding one call', costs, 'JSON.parse')}`);
  console.log(goal('CPU ms to compile 1,000 contracts for openai.strict', base, 300));
  console.log(goal('µs to decode a call of 1 KB', costs[1]?.main ?? Number.NaN, 20));
}
