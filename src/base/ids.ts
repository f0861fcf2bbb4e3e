import { randomFillSync } from 'node:crypto';

// One call to the system's generator serves 512 ids: randomUUID per call costs three times as much.
const pool = Buffer.allocUnsafe(8 * 1024);
let hex = '';
let offset = 0;

function take(characters: number): string {
  if (offset + characters > hex.length) {
    randomFillSync(pool);
    hex = pool.toString('hex');
    offset = 0;
  }
  offset += characters;
  return hex.slice(offset - characters, offset);
}

/** A new W3C trace id: 32 lower-case hex digits (W3C Trace Context). */
export function newTraceId(): string {
  return take(32);
}

/** A new W3C span id: 16 lower-case hex digits (W3C Trace Context). */
export function newSpanId(): string {
  return take(16);
}
