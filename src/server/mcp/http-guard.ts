import type { IncomingMessage } from 'node:http';

/** Which names a server answers to. */
export interface GuardOptions {
  /** Hostnames in `Host`, without port; undefined lets any pass. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Hostnames in `Origin`, without scheme and port. */
  readonly allowedOrigins: readonly string[];
}

/** The names of this machine for itself. */
export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Makes the check against DNS rebinding: says why a request comes from where it must not; undefined
 * when it may pass. Programs send no `Origin`, so only browsers meet that half.
 */
export function createGuard(
  options: GuardOptions,
): (request: IncomingMessage) => string | undefined {
  const hosts = options.allowedHosts && new Set(options.allowedHosts);
  const origins = new Set(options.allowedOrigins);
  return ({ headers: { host, origin } }) => {
    if (hosts !== undefined && !hosts.has(hostnameOf(`http://${host}`) ?? '')) {
      return `Invalid Host: this server answers to ${[...hosts].join(', ')}.`;
    }
    if (origin === undefined || origins.has(hostnameOf(origin) ?? '')) return undefined;
    return `Invalid Origin: pages of ${[...origins].join(', ')} may call this server.`;
  };
}

function hostnameOf(url: string): string | undefined {
  // Parsing is the slow way; nearly every caller uses one of these.
  const simple = /^https?:\/\/(localhost|127\.0\.0\.1)(?::\d+)?$/.exec(url);
  return simple?.[1] ?? URL.parse(url)?.hostname;
}
