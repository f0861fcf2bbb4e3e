import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { finish, startCli, temporaryFolder, type Finished } from '../support/run-cli.ts';
import { anthropicServer, streamed, streamedWords } from '../vendors/anthropic-server.ts';
import { openaiServer, streams } from '../vendors/openai-server.ts';

const work = temporaryFolder();
after(work.remove);
const library = join(import.meta.dirname, '../../skills');

function chat(args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Finished> {
  const all = {
    SKILLWRIGHT_DATA_DIR: work.path,
    OPENAI_API_KEY: '',
    ANTHROPIC_API_KEY: '',
    ...env,
  };
  return finish(startCli(['chat', '--library', library, ...args], { input, env: all }));
}

suite('skillwright chat', () => {
  test('answers one message with the skills, words on stdout and calls on stderr', async (t) => {
    const call = { id: 'a', name: 'text_slugify', arguments: { text: 'Hello World' } };
    const server = await openaiServer(t, [streams([call], 'tool_calls'), streams([], 'stop')]);
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.url}/v1` };
    const { stdout, stderr, code } = await chat(['--model', 'openai:scripted', 'slug it'], env);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'Let me look.\n');
    assert.match(stderr, /calls text_slugify/);
    assert.match(JSON.stringify(server.requests[1]?.['messages']), /hello-world/);
  });

  test('refuses a change that nobody can be asked about, and makes it with --yes', async (t) => {
    const asks = streamed('a', 'task_create', {
      input: '{"title":"from chat"}',
      reason: 'tool_use',
    });
    const server = await anthropicServer(t, [
      asks,
      streamedWords('I may not.'),
      asks,
      streamedWords('Noted.'),
    ]);
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
    const told = (index: number): string => JSON.stringify(server.requests[index]?.['messages']);
    const refused = await chat(['--model', 'anthropic:scripted', 'note it'], env);
    assert.deepEqual([refused.code, refused.stdout], [0, 'I may not.\n'], refused.stderr);
    assert.match(refused.stderr, /nobody can be asked\. Pass --yes/);
    assert.match(told(1), /was not approved/);
    const allowed = await chat(['--model', 'anthropic:scripted', '--yes', 'note it'], env);
    assert.equal(allowed.stdout, 'Noted.\n');
    assert.match(told(3), /from chat.*status/);
  });

  test('goes on line by line, remembering what was said', async (t) => {
    const server = await openaiServer(t, [streams([], 'stop'), streams([], 'stop')]);
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.url}/v1` };
    const { stdout, code } = await chat(['--model', 'openai:scripted'], env, 'one\ntwo\n\nthree\n');
    assert.deepEqual([stdout, code], ['Let me look.\nLet me look.\n', 0]);
    const messages = (server.requests[1]?.['messages'] ?? []) as { content: string }[];
    assert.deepEqual(
      messages.slice(1).map(({ content }) => content),
      ['one', 'Let me look.', 'two'],
    );
  });

  test('what went wrong goes to stderr, and the exit code says so', async (t) => {
    const server = await openaiServer(t, [
      { status: 401, body: { error: { message: 'bad key' } } },
    ]);
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${server.url}/v1` };
    const { stdout, stderr, code } = await chat(['--model', 'openai:scripted', 'hello'], env);
    assert.deepEqual([stdout, code], ['', 1]);
    assert.match(stderr, /bad key/);
  });

  test('says what is missing', async () => {
    const noKey = await chat(['--model', 'openai:gpt-5', 'x'], {});
    assert.deepEqual([noKey.code, /OPENAI_API_KEY/.test(noKey.stderr)], [2, true]);
    const noModel = await chat(['--model', 'gpt-5', 'x'], {});
    assert.deepEqual([noModel.code, /provider:model/.test(noModel.stderr)], [2, true]);
    assert.equal((await chat(['x'], {})).code, 2);
  });
});
