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

let millisecond = 0;
let timeHex = '';

/**
 * A new W3C trace id: 32 lower-case hex digits (W3C Trace Context), the first 12 the Unix time in ms, so
 * that ids made one after the other lie side by side in an index; the other 80 bits are random.
 */
export function newTraceId(): string {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    timeHex = now.toString(16).padStart(12, '0');
  }
  return timeHex + take(20);
}

/** A new W3C span id: 16 lower-case hex digits (W3C Trace Context). */
export function newSpanId(): string {
  return take(16);
}
