const NEWLINE = 10;

/** Cuts a byte stream into lines, whatever its chunks: `onLine` gets each without its end. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  #open: Buffer[] = [];
  /** Bytes of the line that has not ended yet. */
  pending = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Takes the next chunk. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#close(chunk, start, end);
      start = end + 1;
      this.#onLine(line);
    }
    if (start === chunk.length) return;
    this.#open.push(start === 0 ? chunk : chunk.subarray(start));
    this.pending += chunk.length - start;
  }

  /** Hands on what is left without an end. */
  flush(): void {
    if (this.pending > 0) this.#onLine(this.#close(Buffer.alloc(0), 0, 0));
  }

  #close(chunk: Buffer, start: number, end: number): string {
    if (this.pending === 0) return chunk.toString('utf8', start, end);
    const line = Buffer.concat([...this.#open, chunk.subarray(start, end)]).toString();
    this.#open = [];
    this.pending = 0;
    return line;
  }
}
