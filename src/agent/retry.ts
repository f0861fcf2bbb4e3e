import type { Model, ModelReply, ModelRequest } from './model.ts';

const TRIES = 3;
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504, 529]);
const LONGEST_WAIT_MS = 60_000;

/** What the SDKs tell of a request that failed: OpenAI's and Anthropic's, and the AI SDK's. */
interface Failed {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly headers?: Headers | Readonly<Record<string, string>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly isRetryable?: unknown;
}

/** Sends a request, again when it may work later: at most three times in all, as late as the vendor asks. */
export async function sendWithRetry(model: Model, request: ModelRequest): Promise<ModelReply> {
  for (let tries = 1; ; tries++) {
    try {
      return await model.send(request);
    } catch (error) {
      const failed = (error ?? {}) as Failed;
      if (!isPassing(failed) || tries === TRIES || request.signal?.aborted === true) throw error;
      await pause(waitOf(failed, tries), request.signal);
    }
  }
}

function isPassing(failed: Failed): boolean {
  const status = failed.status ?? failed.statusCode;
  if (typeof status === 'number') return PASSING.has(status);
  // Neither an answer nor a stream that had begun: the vendor was not reached, or not in time.
  return failed.isRetryable === true || kindOf(failed).startsWith('APIConnection');
}

function kindOf({ constructor: made }: object): string {
  return typeof made === 'function' ? made.name : '';
}

function waitOf({ headers, responseHeaders = {} }: Failed, tries: number): number {
  const given = headers ?? responseHeaders;
  const header = given instanceof Headers ? given.get('retry-after') : given['retry-after'];
  const seconds = header === null || header === undefined ? Number.NaN : Number(header);
  // RFC 9110: seconds or a date.
  const asked = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header ?? '') - Date.now();
  const ms = Number.isFinite(asked) ? asked : 500 * 2 ** (tries - 1);
  return Math.min(LONGEST_WAIT_MS, Math.max(0, ms));
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
