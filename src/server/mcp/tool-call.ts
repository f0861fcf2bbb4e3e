import { isPlainObject, type JsonObject } from '../../base/json.ts';
import type { Envelope } from '../../contract/envelope.ts';
import type { CallControl, Progress } from '../../runtime/runtime.ts';
import type { Request, RequestId } from './message.ts';
import type { Peer } from './peer.ts';
import { errorBody, META, RPC, SERVER_INFO, type Era } from './protocol.ts';
import type { Tool, ToolLists } from './tool-list.ts';

/** One `tools/call`. */
export interface ToolCall {
  readonly id: RequestId;
  readonly era: Era;
  readonly name: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
}

/** Reads a plain `tools/call`; undefined when it holds anything the SDK should look at first. */
export function readToolCall({ id, era, params, meta }: Request): ToolCall | undefined {
  const { name, arguments: given } = params;
  if (era === undefined || typeof name !== 'string') return undefined;
  if (given !== undefined && !isPlainObject(given)) return undefined;
  const members = 1 + Number(given !== undefined) + Number(params['_meta'] !== undefined);
  if (Object.keys(params).length !== members) return undefined;
  return { id, era, name, params: given ?? {}, meta };
}

/** What a call needs beside itself. */
export interface ToolCallSurroundings {
  readonly peer: Peer;
  readonly lists: ToolLists;
  /** Aborting it cancels the call. */
  readonly controller: AbortController;
  /** Takes the parameters of each `notifications/progress`. */
  readonly onProgress: (params: object) => void;
}

/** Runs one call and returns the reply after its id as JSON text; undefined when it was cancelled. Never rejects. */
export async function callTool(
  call: ToolCall,
  { peer, lists, controller, onProgress }: ToolCallSurroundings,
): Promise<string | undefined> {
  const progress = new ProgressSender(call.meta, onProgress);
  peer.begin(call, controller);
  try {
    const tool = lists.of(peer.session).find(call.name);
    const envelope = await peer.session.call(
      { toolName: tool?.skill ?? call.name, params: call.params },
      control(call.meta, controller.signal, progress),
    );
    return controller.signal.aborted ? undefined : encode(envelope, tool, call.era);
  } catch {
    // Whatever this is, its text was not written for the client.
    return errorBody(RPC.internalError, 'Internal error');
  } finally {
    progress.end();
    peer.end(controller);
  }
}

const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

function control(meta: JsonObject, signal: AbortSignal, progress: ProgressSender): CallControl {
  const { traceparent, progressToken } = meta;
  const traceId = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  return {
    signal,
    ...(traceId === undefined ? {} : { traceId }),
    ...(progressToken === undefined ? {} : { onProgress: (step) => progress.send(step) }),
  };
}

/** Passes progress on while the call runs; the protocol wants each step to be beyond the one before. */
class ProgressSender {
  readonly #meta: JsonObject;
  readonly #notify: (params: object) => void;
  #last = -Infinity;

  constructor(meta: JsonObject, notify: (params: object) => void) {
    this.#meta = meta;
    this.#notify = notify;
  }

  send({ done, total, message }: Progress): void {
    if (!(done > this.#last)) return;
    this.#last = done;
    this.#notify({
      progressToken: this.#meta['progressToken'],
      progress: done,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
  }

  end(): void {
    this.#last = Infinity;
  }
}

const STALE = 'The usual source could not answer: this is a stand-in and may be out of date.';

function encode(envelope: Envelope, tool: Tool | undefined, era: Era): string {
  const { warnings = [], stale, traceId } = envelope.metadata;
  const remarks = stale === true ? [...warnings, STALE] : warnings;
  if (!envelope.success) return encodeError(envelope, remarks, { tool, era });
  const { result } = envelope;
  // Written once and used twice: as it is for programs, inside a string for models.
  const json = JSON.stringify(result) ?? 'null';
  const content = contentOf(typeof result === 'string' ? result : json, remarks);
  const structured =
    tool?.structured === true && isPlainObject(result) ? `"structuredContent":${json},` : '';
  return `"result":{${content}${structured}${lastMembers(era, traceId)}}`;
}

function encodeError(
  { error, metadata }: Envelope & { success: false },
  remarks: readonly string[],
  { tool, era }: { readonly tool: Tool | undefined; readonly era: Era },
): string {
  const { code, message, details } = error;
  if (tool === undefined && code === 'TOOL_NOT_FOUND') {
    return errorBody(RPC.invalidParams, message, details);
  }
  const json = JSON.stringify({ code, message, details });
  // Older clients check even an error's structured content against the schema of results.
  const hidden = era === 'legacy' && tool?.structured === true;
  const structured = hidden ? '' : `"structuredContent":{"error":${json}},`;
  const meta = hidden ? `,"${META.error}":${json}` : '';
  const content = contentOf(`${code}: ${message}`, remarks);
  return `"result":{${content}${structured}"isError":true,${lastMembers(era, metadata.traceId, meta)}}`;
}

function contentOf(text: string, remarks: readonly string[]): string {
  const first = `{"type":"text","text":${JSON.stringify(text)}}`;
  if (remarks.length === 0) return `"content":[${first}],`;
  return `"content":[${first},{"type":"text","text":${JSON.stringify(remarks.join('\n'))}}],`;
}

const MODERN_META = `,"${META.serverInfo}":${JSON.stringify(SERVER_INFO)}`;

function lastMembers(era: Era, traceId: string, meta = ''): string {
  const own = `"${META.trace}":"${traceId}"${meta}`;
  return era === 'legacy'
    ? `"_meta":{${own}}`
    : `"resultType":"complete","_meta":{${own}${MODERN_META}}`;
}
