import { isPlainObject } from '../base/json.ts';
import { compileChecker } from '../contract/checker.ts';
import type { Contract, SideEffect } from '../contract/contract.ts';
import { describeSchema } from '../contract/schema/violations.ts';
import type { Skill } from '../registry/skill.ts';
import { commandLine } from './command-line.ts';
import { renderTable } from './render-table.ts';
import type { Colors } from './colors.ts';

/** Everything a skill promises as a page of text, with a command line that calls it. */
export function renderSkill(skill: Skill, colors: Colors): string {
  const { name, version, title, description } = skill.contract;
  const heading = [colors.bold(name), colors.dim(version), title].filter(Boolean).join('  ');
  const sections = sectionsOf(skill)
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${colors.bold(title)}\n${indent(lines.join('\n'))}`);
  return [`${heading}\n${description}`, ...sections].join('\n\n');
}

type Section = readonly [title: string, lines: readonly string[]];

function sectionsOf({ contract, guidance, defaults }: Skill): readonly Section[] {
  const { name, rules } = contract;
  const example = compileChecker(contract, defaults).example() ?? {};
  return [
    ['Call it', [commandLine(name, example)]],
    ['Purpose', [contract.purpose]],
    ['Effect', [effect(contract.side_effect)]],
    ['Parameters', parameters(contract)],
    ['Also understood', Object.entries(contract.aliases).map(([alias, to]) => `${alias} → ${to}`)],
    ['Defaults of this library', pairs(defaults)],
    ['Returns', contract.returns === undefined ? [] : [JSON.stringify(contract.returns, null, 2)]],
    [
      'Rules',
      'none' in rules
        ? [`none: ${rules.none}`]
        : rules.map(({ id, message }) => `${id}: ${message}`),
    ],
    ['Preconditions', contract.preconditions],
    [
      'Errors',
      contract.errors.map(({ code, reason, message }) =>
        [code, reason, message].filter(Boolean).join(', '),
      ),
    ],
    [
      'Examples',
      contract.examples.map(
        ({ description, input }) => `${description}\n  ${commandLine(name, input)}`,
      ),
    ],
    ['How people ask', contract.queries],
    ['Needs', contract.dependencies.map(({ skill, minVersion }) => `${skill} >= ${minVersion}`)],
    ['Related', contract.related],
    ['Permissions', contract.permissions],
    [
      'Secrets',
      contract.secrets.map(({ name, env, description }) =>
        [`${name} from $${env}`, description].filter(Boolean).join(': '),
      ),
    ],
    ['Policy', pairs(contract.policy)],
    ['Fallback', contract.fallback === undefined ? [] : pairs(contract.fallback)],
    ['Executor', pairs(contract.executor)],
    ['Tags', contract.tags.length === 0 ? [] : [contract.tags.join(', ')]],
    ['Guidance', guidance.trim() === '' ? [] : [guidance.trim()]],
  ];
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

function pairs(values: object): readonly string[] {
  return Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
}

function effect({ kind, targets = [], idempotent, destructive, reversed_by }: SideEffect): string {
  return [
    targets.length === 0 ? kind : `${kind} (${targets.join(', ')})`,
    ...(idempotent === true ? ['idempotent'] : []),
    ...(destructive === true ? ['destructive'] : []),
    ...(reversed_by === undefined ? [] : [`undone by ${reversed_by}`]),
  ].join(', ');
}

function parameters({ parameters: schema }: Contract): readonly string[] {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const rows = Object.entries(properties).map(([name, child]) => {
    const standard = isPlainObject(child) ? child['default'] : undefined;
    const need = required.has(name)
      ? 'required'
      : standard === undefined
        ? 'optional'
        : `default ${JSON.stringify(standard)}`;
    return [name, need, describeSchema(child)];
  });
  return rows.length === 0 ? ['none'] : renderTable(rows).split('\n');
}
