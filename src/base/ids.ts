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

let second = 0;
let secondHex = '';

/**
 * A new W3C trace id: 32 lower-case hex digits (W3C Trace Context), the first 8 the Unix second, so that
 * ids made one after the other lie side by side in an index; the other 96 bits are random.
 */
export function newTraceId(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    secondHex = now.toString(16).padStart(8, '0').slice(-8);
  }
  return secondHex + take(24);
}

/** A new W3C span id: 16 lower-case hex digits (W3C Trace Context). */
export function newSpanId(): string {
  return take(16);
}
