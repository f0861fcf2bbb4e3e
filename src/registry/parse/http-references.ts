import { isPlainObject, type Json } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import { expressionsIn } from '../../contract/expression.ts';
import type { Findings } from './findings.ts';
import { escapeToken } from './locator.ts';

/** The names a contract declares; no parameters when it takes any. */
interface Declared {
  readonly parameters: ReadonlySet<string> | undefined;
  readonly secrets: ReadonlySet<string>;
}

const PLACEHOLDER = /\{(inputs|secrets)\.([^{}]+)\}/g;

/** Tells the placeholders of an http executor that lead nowhere: at the first call it would be too late. */
export function checkHttpReferences(
  { url, query, headers, body }: Record<string, unknown>,
  declared: Declared,
  findings: Findings,
): void {
  const check = (pointer: string, text: unknown): void => {
    if (typeof text !== 'string') return;
    for (const [placeholder, source, path = ''] of text.matchAll(PLACEHOLDER)) {
      const [first = ''] = path.split('.');
      const [name, known] =
        source === 'inputs'
          ? ([first, declared.parameters] as const)
          : ([path, declared.secrets] as const);
      tell(pointer, { shown: placeholder, source: `${source}`, name, known }, findings);
    }
  };
  check('/executor/url', url);
  for (const [key, values] of Object.entries({ query, headers })) {
    if (!isPlainObject(values)) continue;
    for (const [name, text] of Object.entries(values))
      check(`/executor/${key}/${escapeToken(name)}`, text);
  }
  checkExpressions('/executor/body', body as Json | undefined, declared.parameters, findings);
}

/** Tells the `$inputs` of a template that lead nowhere, and expressions that are none. */
export function checkExpressions(
  pointer: string,
  template: Json | undefined,
  parameters: ReadonlySet<string> | undefined,
  findings: Findings,
): void {
  if (template === undefined) return;
  try {
    for (const expression of expressionsIn(template)) {
      const { text: shown } = expression;
      if (expression.from !== 'inputs') {
        findings.error(pointer, `sends ${shown}, which names a step; there are only $inputs here`);
        continue;
      }
      const [name] = expression.path;
      if (name !== undefined)
        tell(pointer, { shown, source: 'inputs', name, known: parameters }, findings);
    }
  } catch (error) {
    findings.error(pointer, error instanceof Error ? error.message : String(error));
  }
}

function tell(
  pointer: string,
  named: {
    readonly shown: string;
    readonly source: string;
    readonly name: string;
    readonly known: ReadonlySet<string> | undefined;
  },
  findings: Findings,
): void {
  const { shown, source, name, known } = named;
  if (known === undefined || known.has(name)) return;
  const [close] = nearest(name, known, 1);
  const place = source === 'inputs' ? 'parameters' : 'secrets';
  findings.error(
    pointer,
    `sends ${shown}, which the contract does not declare: ${close === undefined ? `add ${name} to ${place}` : `did you mean ${close}?`}`,
  );
}
