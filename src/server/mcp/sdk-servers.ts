import {
  McpServer,
  ProtocolError,
  type CallToolRequest,
  type CallToolResult,
  type ListToolsResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { SkillsExtension, type SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import type { JsonObject } from '../../base/json.ts';
import type { Peer } from './peer.ts';
import { SERVER_INFO, type Body, type Era } from './protocol.ts';
import type { Service } from './service.ts';
import { skillFiles } from './skill-files.ts';
import { callTool } from './tool-call.ts';

/** Makes the SDK servers that answer what the short way in front of them does not. */
export class SdkServers {
  readonly #service: Service;
  #catalog: Promise<SkillCatalog> | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  /** A server for one connection or request of `peer`: the same tools as the short way, and skills as resources. */
  async create(peer: Peer, era: Era): Promise<McpServer> {
    const mcp = new McpServer(SERVER_INFO, { capabilities: { tools: { listChanged: true } } });
    const { lists } = this.#service;
    mcp.server.setRequestHandler(
      'tools/list',
      () => resultOf(lists.of(peer.session).body(era)) as ListToolsResult,
    );
    mcp.server.setRequestHandler('tools/call', ({ params }, context) =>
      this.#call(peer, era, { params, context }),
    );
    (await this.#loadCatalog())?.attach(mcp);
    return mcp;
  }

  /** Reads the skills' files again if they were ever asked for; true when their list has changed. Never rejects. */
  async reload(): Promise<boolean> {
    try {
      return (await (await this.#catalog)?.reload())?.listChanged === true;
    } catch {
      // What was read before goes on being served.
      return false;
    }
  }

  async #call(
    peer: Peer,
    era: Era,
    {
      params,
      context,
    }: { readonly params: CallToolRequest['params']; readonly context: ServerContext },
  ): Promise<CallToolResult> {
    const { id, _meta, signal, notify } = context.mcpReq;
    const call = {
      id,
      era,
      name: params.name,
      params: (params.arguments ?? {}) as JsonObject,
      meta: (_meta ?? {}) as JsonObject,
    };
    const controller = new AbortController();
    signal.addEventListener('abort', () => controller.abort(), { once: true });
    const body = await callTool(call, {
      peer,
      lists: this.#service.lists,
      controller,
      onProgress: (progress) =>
        void notify({ method: 'notifications/progress', params: { ...progress } }).catch(() => {}),
    });
    // The SDK sends nothing for a cancelled request, whatever comes back.
    return body === undefined ? { content: [] } : (resultOf(body) as CallToolResult);
  }

  #loadCatalog(): Promise<SkillCatalog> | undefined {
    const { runtime } = this.#service;
    if (this.#catalog !== undefined || runtime.libraryRoot === undefined) return this.#catalog;
    const loading = SkillsExtension.load(skillFiles(runtime, runtime.libraryRoot), {
      onWarning: ({ path, message }) => process.stderr.write(`skill:// ${path}: ${message}\n`),
    });
    // A folder that could not be read now may be there the next time.
    loading.catch(() => (this.#catalog = undefined));
    return (this.#catalog = loading);
  }
}

function resultOf(body: Body): unknown {
  const { result, error } = JSON.parse(`{${body.toString()}}`) as {
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  };
  if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
  return result;
}
