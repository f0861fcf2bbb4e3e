import { isPlainObject, type Json, type JsonObject } from '../../base/json.ts';
import { META, MODERN_VERSION, type Era } from './protocol.ts';

/** The id of a request. */
export type RequestId = string | number;

/** A well-formed message that asks for an answer. */
export interface Request extends Content {
  readonly id: RequestId;
}

/** A well-formed message that does not. */
export interface Notification extends Content {
  readonly id: undefined;
}

interface Content {
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  /** As the envelope says; undefined when that is there but not plainly valid, which the SDK then explains. */
  readonly era: Era | undefined;
  /** The message as it came. */
  readonly raw: JsonObject;
}

/** Reads a request or notification; undefined for a response and for what is no JSON-RPC message at all. */
export function readMessage(value: Json): Request | Notification | undefined {
  if (!isPlainObject(value)) return undefined;
  const { jsonrpc, id, method, params = {} } = value;
  if (jsonrpc !== '2.0' || typeof method !== 'string') return undefined;
  if (id !== undefined && !isRequestId(id)) return undefined;
  if (!isPlainObject(params)) return undefined;
  const members = 2 + Number(id !== undefined) + Number('params' in value);
  if (Object.keys(value).length !== members) return undefined;
  const { _meta: meta = {} } = params;
  if (!isPlainObject(meta)) return undefined;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isRequestId(progressToken)) return undefined;
  return { id, method, params, meta, era: eraOf(meta), raw: value };
}

/** True for what may identify a request: text or a whole number. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function eraOf(meta: JsonObject): Era | undefined {
  const version = meta[META.protocolVersion];
  if (version === undefined) return 'legacy';
  const abilities = meta[META.clientCapabilities];
  if (version !== MODERN_VERSION || meta[META.logLevel] !== undefined) return undefined;
  if (!areAbilities(abilities)) return undefined;
  const client = meta[META.clientInfo];
  return client === undefined || isImplementation(client) ? 'modern' : undefined;
}

/** True for the plain form of a client's capabilities. */
export function areAbilities(value: unknown): boolean {
  return isPlainObject(value) && Object.values(value).every(isPlainObject);
}

/** True for the plain form of a client's name and version. */
export function isImplementation(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    typeof value['name'] === 'string' &&
    typeof value['version'] === 'string' &&
    (value['title'] === undefined || typeof value['title'] === 'string')
  );
}
