import type { Model, ModelReply, ModelRequest } from './model.ts';

const TRIES = 3;
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504, 529]);
const LONGEST_WAIT_MS = 60_000;

/** Sends a request, again when the vendor says that it may work later: at most three times in all, as late as it asks. */
export async function sendWithRetry(model: Model, request: ModelRequest): Promise<ModelReply> {
  for (let tries = 1; ; tries++) {
    try {
      return await model.send(request);
    } catch (error) {
      const { status } = error as { readonly status?: unknown };
      const passing = typeof status === 'number' && PASSING.has(status);
      if (!passing || tries === TRIES || request.signal?.aborted === true) throw error;
      await pause(waitOf(error, tries), request.signal);
    }
  }
}

function waitOf(error: unknown, tries: number): number {
  const { headers } = error as { readonly headers?: unknown };
  const header =
    headers instanceof Headers
      ? headers.get('retry-after')
      : (headers as Record<string, string> | undefined)?.['retry-after'];
  const seconds = header === null || header === undefined ? Number.NaN : Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : 500 * 2 ** (tries - 1);
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
