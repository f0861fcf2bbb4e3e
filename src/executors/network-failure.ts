import { ToolError } from '../contract/tool-error.ts';

const REASONS: readonly (readonly [RegExp, string, string])[] = [
  [/^(?:ENOTFOUND|EAI_)/, 'dns', 'The name of the service could not be resolved'],
  [/^ECONNREFUSED$/, 'connection_refused', 'The service accepts no connections'],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED)$/, 'reset', 'The service closed the connection'],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/,
    'unreachable',
    'The service cannot be reached',
  ],
  [
    /CERT|^ERR_(?:TLS|SSL)|SELF_SIGNED|UNABLE_TO_|^EPROTO$/,
    'tls',
    'No secure connection to the service could be made',
  ],
];

/** The failure of a request that got no reply: UPSTREAM_ERROR, with what happened as its reason. */
export function networkFailure(cause: unknown): ToolError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const [, reason, what] = REASONS.find(([pattern]) => pattern.test(code)) ?? [
    undefined,
    'network',
    'The request to the service failed',
  ];
  return new ToolError('UPSTREAM_ERROR', `${what}. Try again later.`, {
    details: { reason },
    cause,
  });
}
