import { defineSkill } from '../../src/index.ts';
import { serveStdio } from '../../src/server/mcp/stdio.ts';
import { processRuntime } from './mcp-library.ts';

// A stdio server whose one skill prints in every way there is.
const noise = defineSkill({
  name: 'noise.make',
  version: '1.0.0',
  description: 'Prints. Use it to test. Returns a word. Changes nothing.',
  purpose: 'Testing the server.',
  rules: { none: 'It has no parameters.' },
  side_effect: { kind: 'none' },
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  execute: () => {
    console.log('logged');
    console.info('informed');
    process.stdout.write('written\n');
    return 'done';
  },
});

await serveStdio(await processRuntime([noise]));
