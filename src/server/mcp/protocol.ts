import { readFileSync } from 'node:fs';

/** How a client speaks: `legacy` shakes hands first (up to 2025-11-25), `modern` sends each request with its own envelope. */
export type Era = 'legacy' | 'modern';

/** The revision of the modern era (MCP 2026-07-28). */
export const MODERN_VERSION = '2026-07-28';

/** The revisions `initialize` may agree on, newest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** Keys of `_meta`: the envelope of the modern era, and what is our own. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  turn: 'skillwright/turn',
  trace: 'skillwright/trace',
  error: 'skillwright/error',
  id: 'skillwright/id',
  version: 'skillwright/version',
} as const;

const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');

/** Who answers. */
export const SERVER_INFO = {
  name: 'skillwright',
  title: 'Skillwright',
  version: (JSON.parse(manifest) as { version: string }).version,
} as const;

/** What the server can do; skills as resources (SEP-2640) only when there is a folder of them. */
export function capabilities(hasFolder: boolean): object {
  return {
    tools: { listChanged: true },
    ...(hasFolder
      ? {
          resources: { listChanged: true },
          extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
        }
      : {}),
  };
}

/** JSON-RPC error codes in use here. */
export const RPC = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internalError: -32_603,
  server: -32_000,
  sessionNotFound: -32_001,
} as const;

/** What follows the id in a reply: its `result` or `error` member as JSON text or its bytes. */
export type Body = string | Buffer;

/** The body of a reply that holds an error. */
export function errorBody(code: number, message: string, data?: object): string {
  return `"error":${JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) })}`;
}

/** The body of a reply that holds a result; the modern era's own members are filled in. */
export function resultBody(era: Era, result: object, cacheable: boolean): string {
  const text = JSON.stringify(result);
  const open = text === '{}' ? '{' : `${text.slice(0, -1)},`;
  if (era === 'legacy') return `"result":${text}`;
  return `"result":${open}${cacheable ? UNCACHED : ''}${MODERN_MEMBERS}}`;
}

const MODERN_MEMBERS = `"resultType":"complete","_meta":${JSON.stringify({ [META.serverInfo]: SERVER_INFO })}`;

const UNCACHED = '"ttlMs":0,"cacheScope":"private",';

/** A whole reply as one JSON-RPC message. */
export function reply(id: string | number | null, body: Body): Body {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  return typeof body === 'string'
    ? `${head}${body}}`
    : Buffer.concat([Buffer.from(head), body, CLOSE]);
}

const CLOSE = Buffer.from('}');

/** A whole notification as one JSON-RPC message. */
export function notification(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
}
