import type { JsonObject } from '../base/json.ts';
import type { Contract } from '../contract/contract.ts';
import { decodePlan, type DecodePlan } from './decode-plan.ts';
import { findDialect } from './dialect.ts';
import type { Dialect } from './dialects/rules.ts';
import { emitSchema, type EmittedSchema } from './emit-schema.ts';
import { createNameTable, type NameTable } from './name-table.ts';
import { strictWithin } from './strict-budget.ts';
import { toolDescription } from './tool-description.ts';
import { toolShape } from './tool-shape.ts';

/** What a dialect could not say of a skill as its contract does: it was put into words or left to validation. */
export interface CompileWarning {
  readonly skill: string;
  /** `KEYWORD_MOVED_TO_DESCRIPTION:format`, `STRICT_DOWNGRADED:depth` and the like. */
  readonly code: string;
  /** JSON pointer into the parameters; empty for all of them. */
  readonly path: string;
  /** In words. */
  readonly message: string;
}

/** A skill that is not among the tools, and every reason why. */
export interface Refusal {
  readonly skill: string;
  readonly code: 'INVALID_TOOL_NAME' | 'TOO_MANY_TOOLS' | 'UNSUPPORTED_SCHEMA';
  readonly reasons: readonly string[];
}

/** Tools ready to be sent, and all that is needed to read what comes back. */
export interface Compiled {
  readonly dialect: string;
  /** In the vendor's own form, in order of name. */
  readonly tools: readonly JsonObject[];
  readonly nameTable: NameTable;
  /** By the skill's name. */
  readonly decodePlans: ReadonlyMap<string, DecodePlan>;
  readonly warnings: readonly CompileWarning[];
  readonly refused: readonly Refusal[];
}

/** What a host may choose; everything else is the vendor's to say. */
export interface CompileOptions {
  /** Tools are loaded only when searched for, where the vendor knows that. Default false. */
  readonly deferred?: boolean;
  /** Every skill that can be called, shown or not: names are unlike all of theirs. Default: those compiled. */
  readonly among?: readonly string[];
  /** Only to read calls: the limits of one request do not count. Default false. */
  readonly reading?: boolean;
}

interface Tool {
  readonly contract: Contract;
  readonly emitted: EmittedSchema;
}

/**
 * Compiles contracts into one vendor's tools: without loss where it can; else with a warning, what was lost in
 * words; else not strict; else that one tool is refused with its reasons, and the others are sent. The order of
 * the contracts does not matter. Throws TypeError for a dialect that does not exist.
 */
export function compile(
  contracts: Contract | readonly Contract[],
  dialectId: string,
  options: CompileOptions = {},
): Compiled {
  const dialect = findDialect(dialectId);
  const list = 'name' in contracts ? [contracts] : contracts;
  const sorted = [...list].sort((left, right) => (left.name < right.name ? -1 : 1));
  const refused: Refusal[] = [];
  const tools = sorted.flatMap((contract) => readTool(contract, dialect, refused));
  const most = options.reading === true ? tools.length : (dialect.maxTools ?? tools.length);
  for (const { contract } of tools.splice(most)) {
    const reason = `a request takes ${dialect.maxTools} tools, and there are ${sorted.length}: show the model fewer`;
    refused.push({ skill: contract.name, code: 'TOO_MANY_TOOLS', reasons: [reason] });
  }
  const strict = strictWithin(tools, dialect);
  const names = new Set([...(options.among ?? []), ...tools.map(({ contract }) => contract.name)]);
  const nameTable = createNameTable([...names], dialect);
  const warnings: CompileWarning[] = [];
  const compiled = tools.map(({ contract, emitted }) => {
    const chosen = strict.has(contract) ? (emitted.strict ?? emitted.plain) : emitted.plain;
    const { losses } = chosen;
    const downgraded =
      emitted.downgrade === undefined
        ? []
        : [{ code: `STRICT_DOWNGRADED:${emitted.downgrade}`, path: '' }];
    const over =
      emitted.strict !== undefined && !strict.has(contract)
        ? [{ code: 'STRICT_BUDGET_EXCEEDED', path: '' }]
        : [];
    const told = toolDescription(contract, dialect, chosen);
    for (const { code, path } of [...losses, ...downgraded, ...over, ...told.losses])
      warnings.push({ skill: contract.name, code, path, message: inWords(code, path) });
    const isStrict =
      dialect.strict !== undefined && strict.has(contract) && emitted.strict !== undefined;
    const tool = toolShape(
      dialect.shape,
      {
        name: nameTable.exposed(contract.name) as string,
        title: contract.title,
        description: told.description,
        schema: chosen.schema,
        strict: isStrict ? true : dialect.strictExplicit === true ? false : undefined,
        examples: told.examples,
        effect: contract.side_effect,
        deferred: options.deferred === true,
      },
      dialect.omitEmpty === true,
    );
    return { tool, plan: decodePlan(contract, chosen.codec) };
  });
  return {
    dialect: dialect.id,
    tools: compiled.map(({ tool }) => tool),
    nameTable,
    decodePlans: new Map(compiled.map(({ plan }) => [plan.skill, plan])),
    warnings,
    refused,
  };
}

function readTool(contract: Contract, dialect: Dialect, refused: Refusal[]): readonly Tool[] {
  if (contract.name.trim() === '' || !/[\p{L}\p{N}]/u.test(contract.name)) {
    const reason = 'a tool needs a name of letters or digits';
    refused.push({ skill: contract.name, code: 'INVALID_TOOL_NAME', reasons: [reason] });
    return [];
  }
  const emitted = emitSchema(contract, dialect);
  if (Array.isArray(emitted)) {
    refused.push({ skill: contract.name, code: 'UNSUPPORTED_SCHEMA', reasons: emitted });
    return [];
  }
  return [{ contract, emitted: emitted as EmittedSchema }];
}

const MEANINGS: Readonly<Record<string, string>> = {
  KEYWORD_MOVED_TO_DESCRIPTION: 'is said in words; validation still holds calls to it',
  CONSTRAINT_MOVED_TO_VALIDATION: 'cannot be said; validation still holds calls to it',
  KEYWORD_DROPPED: 'says nothing about this type and was left out',
  OPEN_OBJECT_NARROWED: 'takes only the members it names here',
  ITEMS_INFERRED: 'says nothing of its items: they may be anything',
  RECURSION_BOUNDED: 'stands inside itself and is written out a few levels deep',
  SENT_AS_JSON_TEXT: 'is sent as JSON text, which is read back',
  STRICT_DOWNGRADED: 'keeps the tool from being strict',
  STRICT_BUDGET_EXCEEDED: 'The tool is not strict: the budget of the request is used up by others',
  DESCRIPTION_SHORTENED: 'The description was cut to what the vendor takes',
};

function inWords(code: string, path: string): string {
  const [kind = '', detail] = code.split(':');
  const meaning = MEANINGS[kind] ?? kind;
  const subject = [path === '' ? undefined : path, detail]
    .filter((part) => part !== undefined)
    .join(' ');
  return `${subject === '' ? '' : `${subject} `}${meaning}.`;
}
