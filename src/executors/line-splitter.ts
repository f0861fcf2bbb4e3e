import { isIntact } from './executor.ts';

const NEWLINE = 10;

/** Cuts a byte stream into lines, whatever its chunks: `onLine` gets each without its end, and whether it was all UTF-8. */
export class LineSplitter {
  readonly #onLine: (line: string, intact: boolean) => void;
  #open: Buffer[] = [];
  /** Bytes of the line that has not ended yet. */
  pending = 0;

  constructor(onLine: (line: string, intact: boolean) => void) {
    this.#onLine = onLine;
  }

  /** Takes the next chunk. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#close(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#open.push(start === 0 ? chunk : chunk.subarray(start));
    this.pending += chunk.length - start;
  }

  /** Hands on what is left without an end. */
  flush(): void {
    if (this.pending > 0) this.#close(Buffer.alloc(0));
  }

  #close(end: Buffer): void {
    const bytes = this.pending === 0 ? end : Buffer.concat([...this.#open, end]);
    this.#open = [];
    this.pending = 0;
    const line = bytes.toString();
    this.#onLine(line, isIntact(line, bytes));
  }
}
