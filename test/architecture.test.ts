import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { suite, test } from 'node:test';

const root = join(import.meta.dirname, '..');

/** Folder -> the folders it may import; AGENTS.md says the same in words. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contract: ['base'],
  telemetry: ['base', 'contract'],
  store: ['base', 'contract'],
  registry: ['base', 'contract'],
  adapters: ['base', 'contract'],
  executors: ['base', 'contract', 'registry'],
  mediator: ['base', 'contract', 'registry', 'executors', 'store', 'telemetry'],
  agent: ['base', 'contract', 'registry', 'adapters'],
  runtime: [
    'base',
    'contract',
    'registry',
    'adapters',
    'executors',
    'store',
    'telemetry',
    'mediator',
  ],
  server: ['base', 'contract', 'registry', 'store', 'runtime'],
  cli: ['base', 'contract', 'registry', 'adapters', 'agent', 'runtime', 'server'],
  'index.ts': [
    'base',
    'contract',
    'registry',
    'adapters',
    'agent',
    'executors',
    'store',
    'telemetry',
    'mediator',
    'runtime',
    'server',
  ],
};

/** What an embedding program must not load before it needs it: servers, and every package there is. */
const NOT_AT_START = [/^src\/server\//, /^(?!src\/|node:)/];

const MAX_LINES = 300;

type Files = ReadonlyMap<string, string>;

interface Import {
  readonly target: string;
  readonly kind: 'static' | 'type' | 'dynamic';
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]+?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g;

function withoutComments(source: string): string {
  return source.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function importsOf(path: string, source: string): readonly Import[] {
  const code = withoutComments(source);
  const resolve = (target: string): string =>
    target.startsWith('.') ? posix.join(posix.dirname(path), target) : target;
  return [
    ...[...code.matchAll(STATEMENT)].map(
      ([, type, target = '']) =>
        ({ target: resolve(target), kind: type === undefined ? 'static' : 'type' }) as const,
    ),
    ...[...code.matchAll(DYNAMIC)].map(
      ([, target = '']) => ({ target: resolve(target), kind: 'dynamic' }) as const,
    ),
  ];
}

/** Everything in a tree of sources that the house rules forbid, as sentences. */
function violations(files: Files): readonly string[] {
  return [...files]
    .flatMap(([path, source]) => [...badImports(path, source), ...badShape(path, source)])
    .concat(cycles(files), heavyStart(files));
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function badImports(path: string, source: string): readonly string[] {
  const allowed = MAY_IMPORT[folderOf(path)];
  if (allowed === undefined) return [`${path}: the folder is not in the import table`];
  return importsOf(path, source)
    .map(({ target }) => target)
    .filter(
      (target) =>
        target.startsWith('src/') &&
        folderOf(target) !== folderOf(path) &&
        !allowed.includes(folderOf(target)),
    )
    .map((target) => `${path} must not import ${target}`);
}

function badShape(path: string, source: string): readonly string[] {
  const code = withoutComments(source);
  const lines = code.split('\n').filter((line) => line.trim() !== '').length;
  const name = posix.basename(path);
  return [
    ...(lines > MAX_LINES ? [`${path} has ${lines} lines; the most is ${MAX_LINES}`] : []),
    ...(/^export default\b|^export \{[^}]*\bas default\b/m.test(code)
      ? [`${path} has a default export`]
      : []),
    ...(/^[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/.test(name) ? [] : [`${path} is not named in kebab-case`]),
    ...(/(?:^|\/)utils?(?:\/|\.ts$)|\/types\.ts$/.test(path)
      ? [`${path}: no drawer for leftovers; name what it is about`]
      : []),
  ];
}

/** Cycles over every import, types and lazy ones too; each with the way round. */
function cycles(files: Files): string[] {
  const found: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (path: string, way: readonly string[]): void => {
    if (state.get(path) === 'open')
      found.push(`cycle ${[...way.slice(way.indexOf(path)), path].join(' -> ')}`);
    const source = files.get(path);
    if (state.has(path) || source === undefined) return;
    state.set(path, 'open');
    for (const { target } of importsOf(path, source)) visit(target, [...way, path]);
    state.set(path, 'done');
  };
  for (const path of files.keys()) visit(path, []);
  return found;
}

/** What the public entry loads at once although it should come on first need. */
function heavyStart(files: Files): string[] {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    const source = files.get(path);
    if (source === undefined) return;
    for (const { target, kind } of importsOf(path, source)) if (kind === 'static') visit(target);
  };
  visit('src/index.ts');
  return [...reached]
    .filter((path) => NOT_AT_START.some((heavy) => heavy.test(path)))
    .map((path) => `src/index.ts loads ${path} at once; import it on first need`);
}

function sources(): Files {
  const paths = globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .sort();
  return new Map(
    paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')]),
  );
}

suite('architecture', () => {
  test('the sources keep the house rules', () => {
    assert.deepEqual(violations(sources()), []);
  });

  test('every folder of the import table exists', () => {
    const missing = Object.keys(MAY_IMPORT).filter(
      (folder) => !existsSync(join(root, 'src', folder)),
    );
    assert.deepEqual(missing, []);
  });

  const tree = (files: Record<string, string>): readonly string[] =>
    violations(new Map(Object.entries(files)));

  test('the checker accepts a tree that keeps them', () => {
    const files = {
      'src/index.ts': "export { call } from './runtime/call.ts';\n",
      'src/runtime/call.ts':
        "import type { Json } from '../base/json.ts';\nexport const call = () => import('kysely');\n",
      'src/base/json.ts': "// import { x } from '../cli/main.ts';\nexport type Json = string;\n",
    };
    assert.deepEqual(tree(files), []);
  });

  const seeded: Readonly<
    Record<string, readonly [file: string, source: string, complaint: RegExp]>
  > = {
    'an upward import': [
      'src/base/a.ts',
      "import { b } from '../contract/b.ts';",
      /src\/base\/a\.ts must not import src\/contract\/b\.ts/,
    ],
    'an upward type import over several lines': [
      'src/contract/a.ts',
      "import type {\n  B,\n} from '../registry/b.ts';",
      /must not import/,
    ],
    'an upward lazy import': [
      'src/store/a.ts',
      "const b = await import('../mediator/b.ts');",
      /must not import/,
    ],
    'an upward bare import': ['src/executors/a.ts', "import '../store/b.ts';", /must not import/],
    'an upward re-export': ['src/base/a.ts', "export { b } from '../cli/b.ts';", /must not import/],
    'an unknown folder': ['src/helpers/a.ts', '', /not in the import table/],
    'a file that is too long': ['src/base/a.ts', 'x();\n'.repeat(301), /301 lines/],
    'a default export': ['src/base/a.ts', 'export default 1;', /default export/],
    'a name that is not kebab-case': ['src/base/fooBar.ts', '', /kebab-case/],
    'a drawer of types': ['src/base/types.ts', '', /drawer/],
    'a drawer of utils': ['src/base/utils/a.ts', '', /drawer/],
    'a package at the start': ['src/index.ts', "import { z } from 'zod';", /loads zod at once/],
    'a server at the start': [
      'src/index.ts',
      "export * from './server/mcp/http.ts';",
      /loads src\/server/,
    ],
  };
  for (const [name, [file, source, complaint]] of Object.entries(seeded)) {
    test(`the checker finds ${name}`, () => {
      assert.match(tree({ [file]: source }).join('\n'), complaint);
    });
  }

  test('the checker prints a cycle', () => {
    const files = {
      'src/base/a.ts': "import './b.ts';",
      'src/base/b.ts': "import type { A } from './a.ts';",
    };
    assert.deepEqual(tree(files), ['cycle src/base/a.ts -> src/base/b.ts -> src/base/a.ts']);
  });
});
