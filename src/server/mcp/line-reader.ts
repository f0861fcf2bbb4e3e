const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** Where lines go. */
export interface LineSink {
  line(text: string): void;
  /** A line had more bytes than allowed and was dropped. */
  tooLong(): void;
}

/** Cuts a byte stream into lines of at most `maxBytes`, whatever its chunks; ends are LF or CRLF. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #sink: LineSink;
  #open: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number, sink: LineSink) {
    this.#maxBytes = maxBytes;
    this.#sink = sink;
  }

  /** Takes the next chunk. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  /** Hands on a last line that has no end. */
  end(): void {
    if (this.#size > 0) this.#finish();
  }

  #take(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= this.#maxBytes) this.#open.push(part);
    else this.#open = [];
  }

  #finish(): void {
    const parts = this.#open;
    const size = this.#size;
    this.#open = [];
    this.#size = 0;
    if (size > this.#maxBytes) return this.#sink.tooLong();
    const [first] = parts;
    const bytes = first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
    const length = bytes[size - 1] === CARRIAGE_RETURN ? size - 1 : size;
    if (length > 0) this.#sink.line(bytes.toString('utf8', 0, length));
  }
}
