import type { IncomingMessage } from 'node:http';

/** Reads a request's body as text; undefined when it has more than `maxBytes`. Rejects when the client goes away. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  if (Number(request.headers['content-length']) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      // What still comes is read and dropped, so that the client gets to read the refusal.
      else resolve(undefined);
    });
    request.once('end', () => {
      const [first] = chunks;
      resolve(
        (chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)).toString(),
      );
    });
    request.once('error', reject);
  });
}
