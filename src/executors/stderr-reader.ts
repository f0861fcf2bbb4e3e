import { parseJson, type Json } from '../base/json.ts';
import { LineSplitter } from './line-splitter.ts';
import { readProgress, type OnProgress } from './progress.ts';

const KEPT = 8 * 1024;

/** Reads what a program says beside its result: progress is passed on, of the rest the last 8 KiB are kept. */
export class StderrReader {
  #kept = '';
  readonly #lines: LineSplitter;

  constructor(onProgress?: OnProgress) {
    this.#lines = new LineSplitter((line) => {
      if (onProgress !== undefined && line.startsWith('{"progress"')) {
        const progress = readProgress(asJson(line));
        if (progress !== undefined) return onProgress(...progress);
      }
      this.#kept = `${this.#kept}${line}\n`.slice(-KEPT);
    });
  }

  /** Takes the next chunk. */
  push(chunk: Buffer): void {
    this.#lines.push(chunk);
    if (this.#lines.pending > KEPT) this.#lines.flush();
  }

  /** What was kept, and forgets it; undefined when nothing was said. */
  take(): string | undefined {
    this.#lines.flush();
    const kept = this.#kept;
    this.#kept = '';
    return kept === '' ? undefined : kept;
  }
}

function asJson(line: string): Json {
  try {
    return parseJson(line);
  } catch {
    return null;
  }
}
