import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that is running. */
export interface LocalService {
  readonly url: string;
  close(): Promise<void>;
}

const RATES: Readonly<Record<string, number>> = {
  EUR: 1,
  USD: 1.08,
  GBP: 0.85,
  CNY: 7.8,
  JPY: 162,
};
const SKIES = ['clear', 'cloudy', 'rain', 'snow'];

/** Starts the HTTP service that the weather and currency skills call: made-up figures, the same on every machine. Loopback only; port 0 takes a free one. */
export async function startLocalService(port = 0): Promise<LocalService> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const answer = route(url);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: 'not found' }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function route({ pathname, searchParams }: URL): unknown {
  const [, kind, name = ''] = pathname.split('/').map(decodeURIComponent);
  if (kind === 'rates') return rates(name);
  if (kind === 'weather') return weather(name, searchParams.get('day') ?? '');
  return undefined;
}

function rates(base: string): unknown {
  const own = RATES[base];
  if (own === undefined) return undefined;
  const entries = Object.entries(RATES).map(
    ([code, rate]) => [code, Math.round((rate / own) * 10_000) / 10_000] as const,
  );
  return { data: { base, rates: Object.fromEntries(entries) } };
}

function weather(place: string, day: string): unknown {
  const digest = createHash('sha256').update(`${place.toLowerCase()}/${day}`).digest();
  return {
    data: {
      place,
      day,
      sky: SKIES[(digest[0] ?? 0) % SKIES.length],
      celsius: ((digest[1] ?? 0) % 40) - 8,
    },
  };
}
