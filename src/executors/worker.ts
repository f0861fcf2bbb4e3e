import { isPlainObject, parseExact, type JsonObject } from '../base/json.ts';
import type { ExecutionContext } from '../contract/execution-context.ts';
import { ToolError } from '../contract/tool-error.ts';
import { LineSplitter } from './line-splitter.ts';
import { MAX_OUTPUT, tooMuchOutput } from './output-limit.ts';
import { endedFailure, reportedFailure } from './process-failure.ts';
import type { ProcessGroup } from './process-group.ts';
import { readProgress } from './progress.ts';
import { StderrReader } from './stderr-reader.ts';

interface Asked {
  readonly id: number;
  readonly context: ExecutionContext;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How long an unused worker lives, in ms, and who hears at once when it can no longer be used. */
export interface WorkerOptions {
  readonly idleMs: number;
  onGone(worker: Worker): void;
}

/** A long-lived process that answers one JSON line for each it reads; idle, it keeps nobody alive. */
export class Worker {
  readonly #group: ProcessGroup;
  readonly #options: WorkerOptions;
  readonly #lines = new LineSplitter((line, intact) => this.#take(line, intact));
  readonly #stderr = new StderrReader();
  readonly #idle: NodeJS.Timeout;
  #asked: Asked | undefined;
  #lastId = 0;
  #alive = true;
  #failure: unknown;
  #settings: JsonObject | undefined;
  #settingsText = '';

  constructor(group: ProcessGroup, options: WorkerOptions) {
    this.#group = group;
    this.#options = options;
    this.#idle = setTimeout(() => {
      if (this.#asked === undefined) this.#end(undefined);
    }, options.idleMs).unref();
    group.detach();
    group.stdout.on('data', (chunk: Buffer) => {
      this.#lines.push(chunk);
      if (this.#lines.pending > MAX_OUTPUT) this.#end(tooMuchOutput());
    });
    group.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    void this.#watch();
  }

  /** False once it has ended or is being ended. */
  get alive(): boolean {
    return this.#alive && !this.#group.exited;
  }

  /**
   * Runs one call; only when no other is under way. Rejects with a ToolError when it fails, and with
   * the signal's reason once an aborted worker is gone.
   */
  ask(params: JsonObject, context: ExecutionContext): Promise<unknown> {
    const { signal } = context;
    const abort = (): void => this.#end(signal.reason);
    const answered = new Promise((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', abort);
      this.#asked = { id: ++this.#lastId, context, resolve, reject };
      this.#group.hold();
      this.#group.stdin.write(this.#request(this.#lastId, params, context));
    });
    return answered.finally(() => {
      signal.removeEventListener('abort', abort);
      if (!this.#alive) return;
      this.#group.release();
      this.#idle.refresh();
    });
  }

  async #watch(): Promise<void> {
    const ending = await this.#group.ended;
    this.#retire();
    const { program } = this.#group;
    this.#asked?.reject(this.#failure ?? endedFailure(program, ending, this.#stderr.take()));
  }

  #request(id: number, params: JsonObject, context: ExecutionContext): string {
    const { traceId, idempotencyKey, attempt, settings, dataDir } = context;
    if (settings !== this.#settings) {
      this.#settings = settings;
      this.#settingsText = JSON.stringify(settings);
    }
    const facts = JSON.stringify({ traceId, idempotencyKey, attempt, dataDir }).slice(0, -1);
    return `{"id":${id},"params":${JSON.stringify(params)},"context":${facts},"settings":${this.#settingsText}}}\n`;
  }

  #take(line: string, intact: boolean): void {
    if (!this.#alive || line.trim() === '') return;
    const asked = this.#asked;
    const answer = answerTo(asked?.id, line);
    if (asked === undefined || answer === undefined) return this.#end(protocolFailure(line));
    const progress = readProgress(answer);
    if (progress !== undefined) return asked.context.progress(...progress);
    // A second answer to the same request finds nobody waiting.
    this.#asked = undefined;
    if (!intact) return asked.reject(garbled());
    if ('error' in answer) asked.reject(reportedFailure(answer['error'], this.#stderr.take()));
    else asked.resolve(answer['result']);
  }

  #end(failure: unknown): void {
    this.#failure ??= failure;
    this.#retire();
    this.#group.kill();
  }

  #retire(): void {
    if (!this.#alive) return;
    this.#alive = false;
    clearTimeout(this.#idle);
    this.#options.onGone(this);
  }
}

/** The answer a line holds, when it is one to the request asked. */
function answerTo(id: number | undefined, line: string): Record<string, unknown> | undefined {
  try {
    const answer = parseExact(line);
    if (!isPlainObject(answer) || answer['id'] !== id) return undefined;
    return 'result' in answer || 'error' in answer || 'progress' in answer ? answer : undefined;
  } catch {
    return undefined;
  }
}

function garbled(): ToolError {
  return new ToolError(
    'PARSE_ERROR',
    'The skill ran, but it gave text that is not UTF-8. Look up its effect before you repeat it, and report it to the owner of the skill.',
    { details: { reason: 'result' } },
  );
}

function protocolFailure(line: string): ToolError {
  return new ToolError(
    'EXECUTION_ERROR',
    'The worker of the skill wrote a line on stdout that answers no request and was stopped. Its program must print only {"id", "result"} or {"id", "error"} there, and everything else on stderr.',
    { details: { reason: 'protocol' }, retryable: false, cause: line.slice(0, 8192) },
  );
}
