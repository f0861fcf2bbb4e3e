import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { skillOf } from '../../test/support/executor-fixture.ts';
import type { Contract } from '../contract/contract.ts';
import type { Flow } from '../contract/flow.ts';
import {
  dependencyTree,
  impactOf,
  resolveDependencies,
  type DependencyNode,
} from './dependencies.ts';
import type { Skill } from './skill.ts';

interface Given {
  readonly needs?: readonly string[];
  readonly contract?: Partial<Contract>;
  readonly flow?: Flow;
}

/** A skill that needs others, each `name` or `name@minVersion`. */
function skill(name: string, { needs = [], contract = {}, flow }: Given = {}): Skill {
  const dependencies = needs.map((need) => {
    const [other = '', minVersion = '1.0.0'] = need.split('@');
    return { skill: other, minVersion };
  });
  const made = skillOf({ kind: 'composite' }, undefined, { name, dependencies, ...contract });
  return flow === undefined ? made : { ...made, flow };
}

const write: Partial<Contract> = { side_effect: { kind: 'write' } };
const read: Partial<Contract> = { side_effect: { kind: 'read' } };

function messages(skills: readonly Skill[]): Record<string, string> {
  const { problems, kept } = resolveDependencies(skills);
  const kind = new Set(problems.map(({ severity }) => severity));
  assert(kind.size === 0 || (kind.size === 1 && kind.has('error')));
  const names = new Set(kept.map(({ contract }) => contract.name));
  for (const problem of problems) assert(!names.has(problem.skill), `${problem.skill} is kept`);
  assert.equal(new Set(problems.map((problem) => problem.skill)).size, skills.length - kept.length);
  return Object.fromEntries(problems.map((problem) => [problem.skill, problem.message]));
}

test('orders dependencies before those who need them, otherwise by name', () => {
  const skills = [
    skill('d.top', { needs: ['c.mid', 'b.mid'] }),
    skill('b.mid', { needs: ['z.base'] }),
    skill('c.mid', { needs: ['z.base'] }),
    skill('z.base'),
    skill('a.alone'),
  ];
  const { kept, order, problems } = resolveDependencies(skills);
  assert.deepEqual(order, ['a.alone', 'z.base', 'b.mid', 'c.mid', 'd.top']);
  assert.deepEqual(kept, skills);
  assert.deepEqual(problems, []);
  assert.deepEqual(resolveDependencies(skills.toReversed()).order, order);
});

test('names a missing dependency and one that is too old, with what to do', () => {
  const found = messages([
    skill('a.one', { needs: ['task.fnd'] }),
    skill('b.two', { needs: ['task.find@1.10.0'] }),
    skill('c.three', { needs: ['task.find@1.2.0'] }),
    skill('task.find', { contract: { version: '1.2.0' } }),
    skill('task.get', { contract: { version: '1.2.0' } }),
  ]);
  assert.deepEqual(found, {
    'a.one':
      'The dependency task.fnd is not in the library. Did you mean task.find? Add it, or take it out of dependencies.',
    'b.two':
      'The dependency task.find is needed in 1.10.0 or newer, and the library has 1.2.0. Update task.find, or lower its minVersion.',
  });
});

test('reports every fault of a skill', () => {
  const { problems } = resolveDependencies([skill('a.one', { needs: ['b.b', 'c.c'] })]);
  assert.equal(problems.length, 2);
});

test('leaves out whatever depends on what is left out', () => {
  const found = messages([
    skill('a.top', { needs: ['b.mid'] }),
    skill('b.mid', { needs: ['c.low', 'ok.fine'] }),
    skill('c.low', { needs: ['gone.away'] }),
    skill('ok.fine'),
  ]);
  assert.deepEqual(Object.keys(found), ['a.top', 'b.mid', 'c.low']);
  assert.equal(
    found['a.top'],
    'The dependency b.mid is left out. Mend b.mid, or take it out of dependencies.',
  );
  assert.match(found['b.mid'] ?? '', /^The dependency c\.low is left out/);
});

test('refuses a cycle with all its members and prints it', () => {
  const found = messages([
    skill('c.d', { needs: ['e.f'] }),
    skill('a.b', { needs: ['c.d', 'ok.fine'] }),
    skill('e.f', { needs: ['a.b'] }),
    skill('x.user', { needs: ['e.f'] }),
    skill('self.own', { needs: ['self.own'] }),
    skill('ok.fine'),
  ]);
  assert.deepEqual(found, {
    'a.b':
      'Its dependencies lead back to it: a.b -> c.d -> e.f -> a.b. Take one of them out of dependencies.',
    'c.d': 'It is part of a cycle of dependencies; the problem of a.b shows it.',
    'e.f': 'It is part of a cycle of dependencies; the problem of a.b shows it.',
    'self.own':
      'Its dependencies lead back to it: self.own -> self.own. Take one of them out of dependencies.',
    'x.user': 'The dependency e.f is left out. Mend e.f, or take it out of dependencies.',
  });
});

test('refuses a skill that writes through a step it hides', () => {
  const flow: Flow = {
    steps: [
      { id: 'look', skill: 'r.read' },
      { id: 'tell', skill: 'w.write' },
    ],
  };
  const base = [skill('w.write', { contract: write }), skill('r.read', { contract: read })];
  const needs = ['r.read', 'w.write'];
  const found = messages([
    ...base,
    skill('a.flow', { needs, flow, contract: read }),
    skill('b.code', { needs }),
  ]);
  assert.equal(
    found['a.flow'],
    'It is declared side_effect read, but step tell calls w.write, which writes. Declare side_effect write, or take that out.',
  );
  assert.match(
    found['b.code'] ?? '',
    /declared side_effect none, but its dependency w\.write writes/,
  );
  assert.deepEqual(messages([...base, skill('a.flow', { needs, flow, contract: write })]), {});
  assert.deepEqual(messages([...base, skill('a.flow', { needs: ['r.read'], contract: read })]), {});
});

test('a hidden write is found through every layer and in fallbacks and compensations', () => {
  const inner: Flow = {
    steps: [
      {
        id: 'get',
        skill: 'r.read',
        compensate: { skill: 'w.undo' },
        fallback: { skill: 'w.other' },
      },
    ],
  };
  const found = messages([
    skill('r.read', { contract: read }),
    skill('w.undo', { contract: write }),
    skill('w.other', { contract: write }),
    skill('b.inner', { needs: ['r.read', 'w.undo', 'w.other'], flow: inner, contract: write }),
    skill('a.outer', { needs: ['b.inner'] }),
  ]);
  assert.deepEqual(Object.keys(found), ['a.outer']);
  const { problems } = resolveDependencies([
    skill('r.read', { contract: read }),
    skill('w.undo', { contract: write }),
    skill('w.other', { contract: write }),
    skill('b.inner', { needs: ['r.read', 'w.undo', 'w.other'], flow: inner, contract: read }),
  ]);
  assert.deepEqual(
    problems.map(({ message }) => /step get calls (w\.\w+)/.exec(message)?.[1]),
    ['w.undo', 'w.other'],
  );
});

test('an effect that is not known counts as a write', () => {
  const unknown: Skill = skill('u.odd');
  Reflect.set(unknown.contract, 'side_effect', { kind: 'maybe' });
  const found = messages([unknown, skill('a.flow', { needs: ['u.odd'], contract: read })]);
  assert.match(found['a.flow'] ?? '', /u\.odd writes/);
});

test('a fallback is for reads, and calls declared dependencies only', () => {
  const found = messages([
    skill('r.read', { contract: read }),
    skill('a.write', { contract: { ...write, fallback: { value: 1 } } }),
    skill('b.read', { contract: { ...read, fallback: { skill: 'r.read' } } }),
    skill('c.read', { needs: ['r.read'], contract: { ...read, fallback: { skill: 'r.read' } } }),
    skill('d.read', { contract: { ...read, fallback: { value: null } } }),
  ]);
  assert.deepEqual(Object.keys(found), ['a.write', 'b.read']);
  assert.match(found['a.write'] ?? '', /Take the fallback out/);
  assert.match(found['b.read'] ?? '', /fallback calls r\.read, which is no dependency/);
});

test('a step that writes falls back on a value only', () => {
  const base = [skill('w.write', { contract: write }), skill('r.read', { contract: read })];
  const flowWith = (
    called: string,
    fallback: NonNullable<Flow['steps'][number]['fallback']>,
  ): Skill[] => [
    ...base,
    skill('a.flow', {
      needs: ['w.write', 'r.read'],
      contract: write,
      flow: { steps: [{ id: 'do', skill: called, fallback }] },
    }),
  ];
  assert.match(
    messages(flowWith('w.write', { skill: 'r.read' }))['a.flow'] ?? '',
    /^Step do has a fallback/,
  );
  assert.match(
    messages(flowWith('w.write', { value: 1, after: 10 }))['a.flow'] ?? '',
    /w\.write writes/,
  );
  assert.deepEqual(messages(flowWith('w.write', { value: 1 })), {});
  assert.deepEqual(messages(flowWith('r.read', { skill: 'r.read', after: 10 })), {});
});

test('tells what a change can break', () => {
  const skills = [
    skill('a.top', { needs: ['b.mid'] }),
    skill('b.mid', { needs: ['c.low', 'd.low'] }),
    skill('e.user', { needs: ['c.low'] }),
    skill('c.low'),
    skill('d.low', { needs: ['b.mid'] }),
  ];
  assert.deepEqual(impactOf('c.low', skills), {
    direct: ['b.mid', 'e.user'],
    all: ['a.top', 'b.mid', 'd.low', 'e.user'],
  });
  assert.deepEqual(impactOf('a.top', skills), { direct: [], all: [] });
  assert.deepEqual(impactOf('gone.away', skills), { direct: [], all: [] });
});

function written({ name, version, repeated, dependencies }: DependencyNode): string {
  const inner = dependencies.map(written).join(' ');
  return `${name}${version === undefined ? '?' : ''}${repeated ? '*' : ''}${inner === '' ? '' : `(${inner})`}`;
}

test('shows what a skill needs as a tree, spreading out each only once', () => {
  const skills = [
    skill('a.top', { needs: ['c.mid', 'b.mid'] }),
    skill('b.mid', { needs: ['d.low', 'gone.away'] }),
    skill('c.mid', { needs: ['b.mid', 'd.low', 'a.top'] }),
    skill('d.low'),
  ];
  assert.equal(
    written(dependencyTree('a.top', skills)),
    'a.top(b.mid(d.low gone.away?) c.mid(a.top* b.mid* d.low))',
  );
  assert.equal(written(dependencyTree('gone.away', skills)), 'gone.away?');
  assert.equal(dependencyTree('d.low', skills).version, '1.0.0');
});

test('survives a sound chain, a ring and a broken chain of ten thousand', () => {
  const name = (index: number): string => `s.n${String(index).padStart(5, '0')}`;
  const chain = Array.from({ length: 10_000 }, (_, index) =>
    skill(name(index), { needs: index === 9999 ? [] : [name(index + 1)] }),
  );
  const { order } = resolveDependencies(chain);
  assert.deepEqual([order.length, order[0], order.at(-1)], [10_000, name(9999), name(0)]);
  assert.equal(impactOf(name(9999), chain).all.length, 9999);
  assert.equal(dependencyTree(name(0), chain).dependencies.length, 1);
  const ring = [...chain.slice(0, -1), skill(name(9999), { needs: [name(0)] })];
  assert.equal(resolveDependencies(ring).kept.length, 0);
  const broken = [...chain.slice(0, -1), skill(name(9999), { needs: ['gone.away'] })];
  assert.equal(resolveDependencies(broken).problems.length, 10_000);
});

const NAMES = Array.from({ length: 12 }, (_, index) => `skill.n${index}`);

/** For every name the names it needs, as places in the list. */
function graphs(edge: (from: number) => fc.Arbitrary<number[]>): fc.Arbitrary<Skill[]> {
  return fc
    .tuple(...NAMES.map((_, from) => edge(from)))
    .map((edges) =>
      edges.map((needed, from) =>
        skill(NAMES[from] ?? '', { needs: needed.map((to) => NAMES[to] ?? '') }),
      ),
    )
    .chain((skills) => fc.shuffledSubarray(skills, { minLength: skills.length }));
}

test('any graph without cycles is kept whole, in an order that respects every dependency', () => {
  const acyclic = graphs((from) =>
    from === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(from - 1), { maxLength: 4 }),
  );
  fc.assert(
    fc.property(acyclic, (skills) => {
      const { kept, order, problems } = resolveDependencies(skills);
      assert.deepEqual(problems, []);
      assert.deepEqual(kept, skills);
      assert.deepEqual(order.toSorted(), NAMES.toSorted());
      for (const { contract } of skills) {
        for (const needed of contract.dependencies) {
          assert(order.indexOf(needed.skill) < order.indexOf(contract.name));
        }
      }
    }),
  );
});

test('in any graph exactly what reaches a cycle is left out, and every printed cycle is real', () => {
  const any = graphs(() => fc.uniqueArray(fc.nat(NAMES.length - 1), { maxLength: 2 }));
  fc.assert(
    fc.property(any, (skills) => {
      const needs = new Map(
        skills.map(({ contract }) => [
          contract.name,
          contract.dependencies.map((needed) => needed.skill),
        ]),
      );
      const reaches = (start: string): Set<string> => {
        const seen = new Set(needs.get(start));
        for (const next of seen) for (const needed of needs.get(next) ?? []) seen.add(needed);
        return seen;
      };
      const cyclic = NAMES.filter((name) => reaches(name).has(name));
      const { kept, order, problems } = resolveDependencies(skills);
      const fine = NAMES.filter(
        (name) => !cyclic.includes(name) && !cyclic.some((member) => reaches(name).has(member)),
      );
      assert.deepEqual(kept.map(({ contract }) => contract.name).sort(), fine.toSorted());
      assert.deepEqual(order.toSorted(), fine.toSorted());
      const printed = problems.flatMap(
        ({ message }) => / back to it: (.*)\. Take/.exec(message)?.[1] ?? [],
      );
      assert.equal(printed.length > 0, cyclic.length > 0);
      for (const cycle of printed.map((text) => text.split(' -> '))) {
        assert.equal(cycle[0], cycle.at(-1));
        assert(cycle.length >= 2);
        for (const [index, name] of cycle.slice(0, -1).entries()) {
          assert(needs.get(name)?.includes(cycle[index + 1] ?? ''));
        }
      }
    }),
  );
});
