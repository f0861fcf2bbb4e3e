import { createHash } from 'node:crypto';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { SideEffect } from '../../contract/contract.ts';
import type { Skill } from '../../registry/skill.ts';
import type { Session } from '../../runtime/runtime.ts';
import { META, resultBody, type Era } from './protocol.ts';

/** A tool as clients know it. */
export interface Tool {
  /** Name of the skill behind it. */
  readonly skill: string;
  /** True when results come as structured content too. */
  readonly structured: boolean;
}

/** The tools of one session at one moment. */
export interface ToolList {
  find(name: string): Tool | undefined;
  /** The reply to `tools/list` after its id; built once an era. */
  body(era: Era): Buffer;
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const OPEN_WORLD = new Set([
  'api',
  'browser',
  'email',
  'http',
  'internet',
  'mail',
  'network',
  'sms',
  'web',
]);
const KEPT = 16;

/** Hands out tool lists, built once for each revision that sessions show. */
export class ToolLists {
  readonly #byRevision = new Map<string, ToolList>();

  /** The tools the session may call now. */
  of(session: Session): ToolList {
    const { revision } = session;
    const known = this.#byRevision.get(revision);
    if (known !== undefined) return known;
    const list = buildToolList(session.skills());
    for (const oldest of this.#byRevision.keys()) {
      if (this.#byRevision.size < KEPT) break;
      this.#byRevision.delete(oldest);
    }
    this.#byRevision.set(revision, list);
    return list;
  }
}

function buildToolList(skills: readonly Skill[]): ToolList {
  const byName = new Map<string, Tool>();
  const names = skills.map(({ contract }) => {
    const name = toolName(contract.name, byName);
    byName.set(name, { skill: contract.name, structured: hasObjectResult(contract.returns) });
    return name;
  });
  const bodies: Partial<Record<Era, Buffer>> = {};
  const build = (era: Era): Buffer => {
    const tools = skills.map((skill, index) => describe(skill, names[index] as string));
    return Buffer.from(resultBody(era, { tools }, true));
  };
  return { find: (name) => byName.get(name), body: (era) => (bodies[era] ??= build(era)) };
}

/** The skill's own name where every client takes it, else a stable alias. */
function toolName(name: string, taken: ReadonlyMap<string, Tool>): string {
  if (TOOL_NAME.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex');
  const short = `skill_${digest.slice(0, 8)}`;
  return taken.has(short) ? `skill_${digest.slice(0, 32)}` : short;
}

function describe({ contract }: Skill, name: string): object {
  const { side_effect: effect, returns } = contract;
  return {
    name,
    ...title(contract.name, name, contract.title),
    description: `${contract.description}\n${effectLine(effect)}`,
    inputSchema: objectSchema(contract.parameters),
    ...(hasObjectResult(returns) ? { outputSchema: objectSchema(returns) } : {}),
    annotations: annotations(effect),
    _meta: { [META.id]: contract.name, [META.version]: contract.version },
  };
}

function title(skill: string, name: string, given: string | undefined): object {
  if (skill === name) return given === undefined ? {} : { title: given };
  return { title: given === undefined ? skill : `${given} (${skill})` };
}

function effectLine({ kind, targets = [], destructive, reversed_by }: SideEffect): string {
  if (kind === 'none') return 'Changes nothing.';
  const what = targets.length === 0 ? '' : ` ${targets.join(', ')}`;
  if (kind === 'read') return `Only reads${what}; changes nothing.`;
  const undo = reversed_by === undefined ? '' : ` Undone by ${reversed_by}.`;
  return `Changes${what || ' things'}${destructive === false ? ' without destroying anything' : ''}.${undo}`;
}

function annotations({ kind, targets, destructive, idempotent }: SideEffect): object {
  const write = kind === 'write';
  return {
    readOnlyHint: !write,
    destructiveHint: write && destructive !== false,
    idempotentHint: !write || idempotent === true,
    ...(targets === undefined
      ? {}
      : { openWorldHint: targets.some((target) => OPEN_WORLD.has(target)) }),
  };
}

function hasObjectResult(returns: JsonObject | undefined): returns is JsonObject {
  return returns?.['type'] === 'object';
}

/** Older clients drop the whole list over a root without `type` or a property that is `true` or `false`. */
function objectSchema(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isPlainObject(properties) || !Object.values(properties).some(isBoolean)) {
    return schema['type'] === 'object' ? schema : { ...schema, type: 'object' };
  }
  const spelled = Object.entries(properties).map(([key, value]) => [
    key,
    isBoolean(value) ? (value ? {} : { not: {} }) : value,
  ]);
  return { ...schema, type: 'object', properties: Object.fromEntries(spelled) as JsonObject };
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}
