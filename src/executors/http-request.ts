import { validateHeaderValue } from 'node:http';
import type { Json, JsonObject } from '../base/json.ts';
import type { ExecutorSpec } from '../contract/contract.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import { compileTemplate } from '../contract/expression.ts';
import { ToolError } from '../contract/tool-error.ts';
import {
  compileTemplateText,
  fillTemplate,
  toText,
  valueOf,
  type Placeholder,
  type Scope,
  type Source,
  type Template,
} from './http-template.ts';

/** What a contract says of an endpoint. */
export type HttpSpec = Extract<ExecutorSpec, { kind: 'http' }>;

/** One request, ready to be sent. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);
const ANYWHERE: readonly Source[] = [
  'inputs',
  'settings',
  'secrets',
  'idempotency_key',
  'trace_id',
];
// The origin is the library's to choose: a parameter there would let the model call any host.
const URL_FORM = /^(\{settings\.[^{}]+\}|https?:\/\/[^/?#]+)(\/[^?#]*|)(?:\?([^#]*))?(?:#.*)?$/i;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Compiles an http executor into a function from a call's parameters to its request. Throws ToolError
 * when the executor is not well written; the function throws INVALID_PARAMS when a parameter of the
 * path is absent.
 */
export function compileRequest(
  spec: HttpSpec,
): (inputs: JsonObject, context: ExecutionContext) => HttpRequest {
  const method = spec.method.toUpperCase();
  if (!METHODS.has(method)) {
    throw new ToolError(
      'INTERNAL_ERROR',
      `executor.method is ${method}. Use one of ${[...METHODS].join(', ')}.`,
    );
  }
  const toUrl = compileUrl(spec);
  const toHeaders = compileHeaders(spec);
  const toBody = compileBody(spec.body, WITH_BODY.has(method));
  return (inputs, context) => {
    const scope = { inputs, context };
    const body = toBody(inputs);
    const headers = toHeaders(scope);
    if (body !== undefined) {
      headers['content-type'] ??= 'application/json';
      headers['content-length'] = String(Buffer.byteLength(body));
    }
    return { method, url: toUrl(scope), headers, body };
  };
}

function compileUrl(spec: HttpSpec): (scope: Scope) => URL {
  const [, origin, path, query = ''] = URL_FORM.exec(spec.url) ?? [];
  if (origin === undefined || path === undefined) {
    throw new ToolError(
      'INTERNAL_ERROR',
      'executor.url must be http://host/path, https://host/path or {settings.name}/path.',
    );
  }
  const toOrigin = compilePart(origin, ['settings'], (text) => text);
  const toPath = compilePart(path, ['inputs', 'settings'], encodePathValue);
  const toQuery = compileQuery(query, spec.query);
  return (scope) => {
    const filled = toPath(scope);
    if (DOT_SEGMENT.test(filled)) {
      throw new ToolError(
        'INVALID_PARAMS',
        'A parameter in the path of the request is "." or "..", which names another path. Send an identifier.',
      );
    }
    // A base address is written with or without its last slash.
    const url = URL.parse(toOrigin(scope).replace(/\/$/, '') + filled + toQuery(scope));
    if (
      url === null ||
      !/^https?:$/.test(url.protocol) ||
      url.username !== '' ||
      url.password !== ''
    ) {
      throw new ToolError(
        'INTERNAL_ERROR',
        'The address of this skill is not an http or https URL without user and password. Correct executor.url and the settings in it.',
      );
    }
    return url;
  };
}

/** A part of the URL in which every value must be there. */
function compilePart(
  text: string,
  allowed: readonly Source[],
  encode: (text: string) => string,
): (scope: Scope) => string {
  const template = compileTemplateText(text, allowed);
  return (scope) => {
    const filled = fillTemplate(template, scope, encode);
    if (filled !== undefined) return filled;
    const absent = template.find(
      (part) => typeof part !== 'string' && valueOf(part, scope) === undefined,
    ) as Placeholder;
    if (absent.source === 'inputs') {
      throw new ToolError(
        'INVALID_PARAMS',
        `The parameter ${absent.path.join('.')} is needed for this request. Send it.`,
      );
    }
    throw new ToolError(
      'INTERNAL_ERROR',
      `${absent.name} is not set. Set it for this skill in the configuration of the library.`,
    );
  };
}

/** A pair whose value is absent is left out; a list gives one pair an item. */
function compileQuery(inUrl: string, given: HttpSpec['query'] = {}): (scope: Scope) => string {
  const written = inUrl
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = `${pair}=`.indexOf('=');
      return {
        name: pair.slice(0, at),
        template: compileTemplateText(pair.slice(at + 1), ANYWHERE),
      };
    });
  const named = Object.entries(given).map(([name, text]) => ({
    name: encode(name),
    template: compileTemplateText(text, ANYWHERE).map((part) =>
      typeof part === 'string' ? encode(part) : part,
    ),
  }));
  const pairs = [...written, ...named];
  return (scope) => {
    const query = pairs.flatMap(({ name, template }) =>
      queryValues(template, scope).map((value) => `${name}=${value}`),
    );
    return query.length === 0 ? '' : `?${query.join('&')}`;
  };
}

function queryValues(template: Template, scope: Scope): readonly string[] {
  const [only] = template;
  const list = template.length === 1 && typeof only === 'object' ? valueOf(only, scope) : undefined;
  if (Array.isArray(list)) return list.map((item) => encode(toText(item)));
  const filled = fillTemplate(template, scope, encode);
  return filled === undefined ? [] : [filled];
}

function compileHeaders(spec: HttpSpec): (scope: Scope) => Record<string, string> {
  const templates = Object.entries(spec.headers ?? {}).map(([name, text]) => {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new ToolError(
        'INTERNAL_ERROR',
        `executor.headers names ${JSON.stringify(name)}, which is no header name. Use letters, digits and hyphens.`,
      );
    }
    return { name: name.toLowerCase(), template: compileTemplateText(text, ANYWHERE) };
  });
  return (scope) => {
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'skillwright',
    };
    for (const { name, template } of templates) {
      const value = fillTemplate(template, scope, (text) => text);
      if (value === undefined) continue;
      checkHeader(name, value, template);
      headers[name] = value;
    }
    return headers;
  };
}

function checkHeader(name: string, value: string, template: Template): void {
  try {
    validateHeaderValue(name, value);
  } catch {
    const sent = template.some((part) => typeof part === 'object' && part.source === 'inputs');
    const what = `The header ${name} would hold a line break or another character that headers cannot carry.`;
    if (sent) throw new ToolError('INVALID_PARAMS', `${what} Send plain ASCII text.`);
    throw new ToolError('INTERNAL_ERROR', `${what} Correct the secret or setting in it.`);
  }
}

function compileBody(
  body: Json | undefined,
  whole: boolean,
): (inputs: JsonObject) => string | undefined {
  if (body === undefined) return (inputs) => (whole ? JSON.stringify(inputs) : undefined);
  const template = compileTemplate(body);
  return (inputs) => JSON.stringify(template({ inputs }));
}

function encode(text: string): string {
  // A lone surrogate has no UTF-8 form.
  return encodeURIComponent(text.toWellFormed());
}

function encodePathValue(text: string): string {
  if (text === '') {
    throw new ToolError(
      'INVALID_PARAMS',
      'A parameter in the path of the request is empty. Send an identifier.',
    );
  }
  return encode(text);
}
