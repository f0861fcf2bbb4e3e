import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { createRuntime, openaiChatModel, runAgent, type AgentOptions } from '../../src/index.ts';

/*
 * One process of a run that asks before it writes: from the start, or on from the pause in the file given.
 * Prints how it ended as one line of JSON.
 */
const [library = '', dataDir = '', url = '', paused] = process.argv.slice(2);
const runtime = await createRuntime({ library, dataDir });
const session = await runtime.openSession({ caller: { id: 'ann', permissions: ['*'] } });
const resume =
  paused === undefined
    ? undefined
    : (JSON.parse(readFileSync(paused, 'utf8')) as NonNullable<AgentOptions['resume']>);
const { status, text, pending, state, messages } = await runAgent({
  model: openaiChatModel({
    client: new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 }),
    model: 'scripted',
  }),
  session,
  messages: 'Pay Bob.',
  approve: ({ effect }) => (effect === 'write' ? 'ask' : true),
  ...(resume === undefined ? {} : { resume }),
});
await runtime.close();
process.stdout.write(`${JSON.stringify({ status, text, pending, state, messages })}\n`);
