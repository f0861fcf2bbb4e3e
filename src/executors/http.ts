import { parseExact, type Json, type JsonObject } from '../base/json.ts';
import { createRedactor, type Redactor } from '../base/redact.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import { ToolError } from '../contract/tool-error.ts';
import type { Contract } from '../contract/contract.ts';
import type { Executor } from './executor.ts';
import { HttpClient, type HttpClientOptions, type HttpReply } from './http-client.ts';
import { compileRequest, type HttpSpec } from './http-request.ts';
import { readPath } from './http-template.ts';
import { loadCheck } from './module.ts';
import { replyFailure } from './reply-failure.ts';

/**
 * Runs skills whose body is an HTTP endpoint described in the contract. Parameters reach the path, the
 * query, the headers and the body only where the contract puts them, encoded; the host is the
 * contract's or the library's to choose, and a private one must be named in `allowPrivate`.
 */
export function createHttpExecutor(options: HttpClientOptions = {}): Executor {
  const client = new HttpClient(options);
  return {
    kind: 'http',
    async prepare(skill) {
      const spec = skill.contract.executor as HttpSpec;
      const toRequest = compileRequest(spec);
      const secrets = secretsIn(spec, skill.contract);
      const check = await loadCheck(skill);
      const sameOriginRedirects = spec.redirects === 'same-origin';
      const run = async (params: JsonObject, context: ExecutionContext): Promise<unknown> => {
        const { signal } = context;
        const reply = await client.send(toRequest(params, context), {
          signal,
          sameOriginRedirects,
        });
        if (reply.status >= 200 && reply.status < 300) return resultOf(reply, spec.result);
        throw replyFailure(reply, redactorFor(secrets, context));
      };
      return { run, stops: true, ...(check === undefined ? {} : { check }) };
    },
    async close() {
      client.close();
    },
  };
}

function resultOf({ output }: HttpReply, pointer: string | undefined): unknown {
  const { text } = output;
  if (text === '') return null;
  // What is not intact is refused as a whole further on.
  if (pointer === undefined || pointer === '' || !output.intact) return output;
  let parsed: Json;
  try {
    parsed = parseExact(text);
  } catch {
    return output;
  }
  const result = readPath(parsed, keysOf(pointer));
  if (result !== undefined) return result;
  throw new ToolError(
    'PARSE_ERROR',
    `The service answered, but its reply has nothing at ${pointer}. Do not call again: the owner of the skill must correct executor.result.`,
    {
      details: { reason: 'result' },
      cause: text.slice(0, 8192),
    },
  );
}

/** The keys of a JSON pointer (RFC 6901). */
function keysOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The names of the secrets an executor sends. Throws ToolError for one the contract does not declare. */
function secretsIn({ headers, query }: HttpSpec, { secrets }: Contract): readonly string[] {
  const names = [...JSON.stringify([headers, query]).matchAll(/\{secrets\.([^{}]+)\}/g)].map(
    ([, name = '']) => name,
  );
  const undeclared = names.find((name) => !secrets.some((secret) => secret.name === name));
  if (undeclared === undefined) return names;
  throw new ToolError(
    'INTERNAL_ERROR',
    `executor sends {secrets.${undeclared}}, which the contract does not declare. Add it to secrets.`,
  );
}

function redactorFor(secrets: readonly string[], context: ExecutionContext): Redactor {
  return createRedactor(secrets.map((name) => context.secrets[name] ?? ''));
}
