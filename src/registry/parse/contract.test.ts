import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as fc from 'fast-check';
import { contractOf } from '../../../test/support/library-of.ts';
import { parseContract, type ContractContext } from './contract.ts';
import { createLocator } from './locator.ts';

const CONTEXT: ContractContext = {
  name: 'task.create',
  description: 'Creates a task.',
  executor: { kind: 'module', file: 'executor.ts' },
};

/** Every problem of a contract with this over it, as `severity line message`. */
function problemsOf(over: Record<string, unknown>, context: ContractContext = CONTEXT): string[] {
  const text = JSON.stringify(contractOf(over), null, 2);
  const { contract, problems } = parseContract(JSON.parse(text), {
    ...context,
    locate: createLocator(text),
  });
  assert.equal(
    contract === undefined,
    problems.some(({ severity }) => severity === 'error'),
  );
  return problems.map(({ severity, line, message }) => `${severity} ${line} ${message}`);
}

suite('parseContract', () => {
  test('fills what is absent', () => {
    const { contract, problems } = parseContract(contractOf(), CONTEXT);
    assert.deepEqual(problems, []);
    assert.deepEqual(contract, {
      name: 'task.create',
      version: '1.0.0',
      description: 'Creates a task.',
      tags: [],
      purpose: 'To be read by tests.',
      preconditions: [],
      related: [],
      side_effect: { kind: 'none' },
      parameters: contractOf()['parameters'],
      rules: { none: 'There is nothing to rule.' },
      aliases: {},
      errors: [],
      secrets: [],
      examples: [],
      queries: [],
      dependencies: [],
      permissions: [],
      policy: {},
      executor: { kind: 'module', file: 'executor.ts' },
    });
  });

  test('keeps what is given', () => {
    const given = {
      title: 'Create a task',
      tags: ['task'],
      preconditions: ['The user is known.'],
      related: ['task.get'],
      side_effect: {
        kind: 'write',
        targets: ['database'],
        idempotent: true,
        destructive: false,
        reversed_by: 'task.delete',
      },
      returns: { type: 'object' },
      rules: [
        {
          id: 'order',
          message: 'Send an earlier day.',
          when: { text: { in: ['a', 'b'], present: true } },
          compare: [{ param: 'day' }, '<=', { today: 0 }],
        },
        { id: 'one', message: 'Send one.', one_of: ['text', 'day'] },
      ],
      aliases: { title: 'text' },
      errors: [{ code: 'NOT_FOUND', reason: 'no_user', retryable: false, message: 'No user.' }],
      secrets: [{ name: 'token', env: 'TASK_TOKEN', description: 'Of the task service.' }],
      examples: [{ description: 'A call', input: { text: 'x' }, output: null }],
      queries: ['remember this'],
      dependencies: [{ skill: 'user.get', minVersion: '1.2.0' }],
      permissions: ['task.write'],
      policy: {
        timeout: 100,
        retries: 0,
        retryDelay: 0,
        deadline: 200,
        rate_limit: { calls_per_second: 2, algorithm: 'token_bucket' },
        breaker: { failure_rate: 0.2, minimum: 3, open_ms: 50 },
        result_budget: 1_000,
      },
      fallback: { skill: 'user.get', with: { a: '$inputs.text' }, after: 10 },
      executor: { kind: 'http', method: 'POST', url: 'https://example.com', result: '/data' },
    };
    const { contract, problems } = parseContract(contractOf({ $schema: 'x', ...given }), CONTEXT);
    assert.deepEqual(problems, []);
    assert.deepEqual(contract, { ...parseContract(contractOf(), CONTEXT).contract, ...given });
  });

  test('the description of the contract goes before that of SKILL.md', () => {
    const { contract } = parseContract(contractOf({ description: 'Its own.' }), CONTEXT);
    assert.equal(contract?.description, 'Its own.');
  });

  test('a dependency without a version takes any, an example without words has none', () => {
    const { contract } = parseContract(
      contractOf({ dependencies: [{ skill: 'user.get' }], examples: [{ input: {} }] }),
      CONTEXT,
    );
    assert.deepEqual(contract?.dependencies, [{ skill: 'user.get', minVersion: '0.0.0' }]);
    assert.deepEqual(contract.examples, [{ description: '', input: {} }]);
  });
});

suite('parseContract says what is wrong, where and what to do', () => {
  const rule = (over: Record<string, unknown>): Record<string, unknown> => ({
    rules: [{ id: 'r', message: 'm', ...over }],
  });
  const http = (over: Record<string, unknown>): Record<string, unknown> => ({
    executor: { kind: 'http', method: 'GET', url: 'https://example.com', ...over },
  });
  const rows: readonly (readonly [Record<string, unknown>, ...RegExp[]])[] = [
    [{ version: undefined }, /^error undefined version is missing: it must be a semantic version/],
    [{ version: '1.0' }, /^error 2 version must be a semantic version such as "1\.0\.0"\.$/],
    [{ version: 1 }, /version must be/],
    [{ purpose: undefined }, /purpose is missing: it must be the intent/],
    [{ purpose: ' ' }, /^error 3 purpose must be the intent/],
    [{ name: 'task.make' }, /name is "task\.make", but the folders say task\.create; make them/],
    [{ side_effect: undefined }, /side_effect is missing: .*\{"kind": "none"\}.*not exposed/],
    [{ side_effect: 'none' }, /side_effect must be what the skill changes/],
    [
      { side_effect: {} },
      /^error 4 side_effect\.kind is missing: it must be one of none, read, write/,
    ],
    [{ side_effect: { kind: 'delete' } }, /^error 5 side_effect\.kind must be one of none, read/],
    [{ side_effect: { kind: 'none', idempotent: 'yes' } }, /idempotent must be true or false/],
    [{ side_effect: { kind: 'none', target: ['a'] } }, /warning .*target is not known .*targets\?/],
    [{ side_effect: { kind: 'none', reversed_by: 'undo' } }, /reversed_by must be the name of a/],
    [{ parameters: undefined }, /parameters is missing: it must be a JSON Schema, at least/],
    [{ parameters: [] }, /parameters must be a JSON Schema/],
    [{ parameters: {} }, /parameters\.type must be "object"/],
    [
      { parameters: { type: 'object', properties: { a: { type: 'strin' } } } },
      /^error 11 parameters\.properties\.a\.type cannot be used: type is one of/,
    ],
    [{ returns: { pattern: '(' } }, /returns\.pattern cannot be used/],
    [{ returns: true }, /returns must be a JSON Schema/],
    [{ rules: undefined }, /^warning undefined rules is missing: .*\{"none": "why/],
    [{ rules: undefined, side_effect: { kind: 'write' } }, /^error undefined rules is missing/],
    [{ rules: { none: '' } }, /rules must be a list of rules, or/],
    [{ rules: ['a'] }, /rules\[0\] must be an object with id, message/],
    [rule({}), /rules\[0\] needs exactly one of compare, require, forbid, one_of, any_of/],
    [rule({ require: ['text'], forbid: ['day'] }), /needs exactly one of/],
    [rule({ require: [] }), /rules\[0\]\.require must be a list of at least one/],
    [rule({ require: ['txt'] }), /rules\[0\] speaks of "txt", .*did you mean text\?/],
    [rule({ require: ['text.part'], when: { today: { present: true } } }), /speaks of "today"/],
    [rule({ forbid: ['text'], when: { day: {} } }), /when\.day needs one of equals, in, present/],
    [rule({ forbid: ['text'], when: { day: { in: 'x' } } }), /when\.day\.in must be a list/],
    [rule({ compare: [{ param: 'day' }, '=<', { today: 0 }] }), /compare must be \[\{"param"/],
    [rule({ compare: [{ param: 'day' }, '<', { today: 1e9 }] }), /compare must be/],
    [rule({ compare: ['day', '<', { value: 1 }] }), /compare must be/],
    [{ rules: [{ require: ['text'] }] }, /rules\[0\]\.id is missing/, /\.message is missing/],
    [{ aliases: { title: 'txt' } }, /aliases\.title leads to "txt", .*did you mean text\?/],
    [{ aliases: { day: 'text' } }, /aliases\.day is a parameter itself; remove the alias/],
    [{ aliases: ['text'] }, /aliases must be an object of/],
    [{ errors: [{ code: 'CONFLICTS' }] }, /errors\[0\]\.code must be one of TIMEOUT, /],
    [{ errors: [{ code: 'NOT_FOUND', retryable: 'no' }] }, /retryable must be true or false/],
    [{ errors: { code: 'NOT_FOUND' } }, /errors must be a list/],
    [{ secrets: [{ name: 'a-b', env: 'A B' }] }, /secrets\[0\]\.name/, /secrets\[0\]\.env must be/],
    [{ examples: [{ input: {} }, { input: 'x' }] }, /examples\[1\]\.input must be an object of/],
    [{ examples: [{ description: 'x' }] }, /examples\[0\]\.input is missing/],
    [{ dependencies: ['a.b'] }, /dependencies\[0\] must be an object with skill, minVersion/],
    [
      { dependencies: [{ skill: 'b', minVersion: '1' }] },
      /\.skill must be/,
      /\.minVersion must be/,
    ],
    [{ permissions: 'all' }, /permissions must be a list of texts/],
    [{ tags: [1] }, /tags must be a list of texts/],
    [{ policy: { timeout: 0 } }, /policy\.timeout must be a number from 1 to 3600000/],
    [{ policy: { retries: 1.5 } }, /policy\.retries must be a whole number from 0 to 100/],
    [{ policy: { retries: '3' } }, /policy\.retries must be/],
    [{ policy: { retry_delay: 5 } }, /^warning .*policy\.retry_delay is not known .*retryDelay\?/],
    [{ policy: { rate_limit: {} } }, /rate_limit needs exactly one of/],
    [
      { policy: { rate_limit: { calls_per_second: 1, calls_per_minute: 1 } } },
      /rate_limit needs exactly one of calls_per_second and calls_per_minute/,
    ],
    [{ policy: { rate_limit: { calls_per_minute: -1 } } }, /calls_per_minute must be a number/],
    [{ policy: { breaker: { failure_rate: 2 } } }, /failure_rate must be a number from 0\.01/],
    [{ fallback: {} }, /fallback needs exactly one of skill and value/],
    [{ fallback: { value: 1, with: {} } }, /fallback\.with goes with skill only/],
    [{ executor: { kind: 'docker' } }, /executor\.kind must be one of module, command, http/],
    [{ executor: { kind: 'module', command: ['x'] } }, /warning .*executor\.command is not known/],
    [{ executor: { kind: 'command', command: [] } }, /executor\.command must be a list of the/],
    [{ executor: { kind: 'command', pool_size: 0 } }, /pool_size must be a whole number from 1/],
    [{ executor: { kind: 'command', mode: 'forever' } }, /mode must be one of once, pooled/],
    [http({ method: 'get' }), /executor\.method must be one of GET/],
    [http({ url: undefined }), /executor\.url is missing/],
    [http({ headers: { a: 1 } }), /executor\.headers must be an object of texts/],
    [http({ result: 'data' }), /executor\.result must be a JSON pointer/],
    [
      http({ url: 'https://a.b/{inputs.txt}' }),
      /executor\.url sends \{inputs\.txt\}, .* did you mean text\?/,
    ],
    [http({ query: { q: '{inputs.zzz}' } }), /executor\.query\.q .* add zzz to parameters/],
    [http({ headers: { k: '{secrets.key}' } }), /executor\.headers\.k .* add key to secrets/],
    [http({ body: { a: ['$inputs.zzz'] } }), /executor\.body sends \$inputs\.zzz/],
    [http({ body: '$steps.a.outputs' }), /executor\.body .* only \$inputs/],
    [{ fallback: { skill: 'a.b', with: { a: '$inputs.zzz' } } }, /fallback\.with sends/],
    [http({ redirects: 'follow' }), /executor\.redirects must be one of refuse, same-origin/],
    [{ side_efect: {} }, /^warning \d+ side_efect is not known and does nothing; .*side_effect\?$/],
    [{ whatever: 1 }, /^warning \d+ whatever is not known and does nothing; remove it\.$/],
  ];
  for (const [over, ...messages] of rows)
    test(JSON.stringify(over), () => {
      const problems = problemsOf(over);
      assert.equal(problems.length, messages.length, problems.join('\n'));
      for (const [index, message] of messages.entries())
        assert.match(problems[index] ?? '', message);
    });

  test('what the surroundings do not tell', () => {
    const told = problemsOf({}, {}).join('\n');
    assert.match(told, /name must be domain\.action .*; "" is not\.$/m);
    assert.match(told, /description is missing: say what the skill does, when to use it/);
    assert.match(told, /executor is missing: add executor\.ts/);
    assert.match(parseContract([]).problems[0]?.message ?? '', /one JSON object/);
  });

  test('a key that nobody reads is an error where the reader is strict', () => {
    assert.match(problemsOf({ permision: [] }, { ...CONTEXT, strict: true })[0] ?? '', /^error/);
  });
});

suite('parseContract is not misled', () => {
  test('inherited names are neither contracts nor parameters', () => {
    const parameters = { type: 'object', properties: {} };
    const problems = problemsOf({ parameters, aliases: { x: 'constructor' } });
    assert.match(problems.join(), /"constructor", which is no parameter/);
    assert.match(problemsOf({ executor: { kind: 'constructor' } }).join(), /executor\.kind/);
    assert.match(problemsOf({ constructor: 1 }).join(), /^warning \d+ constructor is not known/);
  });

  test('a parameter that only a branch declares may be spoken of', () => {
    const problems = problemsOf({
      parameters: {
        type: 'object',
        $ref: '#/$defs/more',
        $defs: { more: { anyOf: [{ properties: { extra: {} } }] } },
      },
      aliases: { more: 'extra' },
    });
    assert.deepEqual(problems, []);
  });

  test('anything at all is judged without an exception', () => {
    const anything = fc.dictionary(
      fc.constantFrom(...Object.keys(contractOf()), 'aliases', 'errors', 'policy', 'executor'),
      fc.jsonValue({ maxDepth: 3 }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), anything), (value) => {
        const { contract, problems } = parseContract(value, CONTEXT);
        assert.ok(contract !== undefined || problems.length > 0);
      }),
      { numRuns: 1_000 },
    );
  });
});
