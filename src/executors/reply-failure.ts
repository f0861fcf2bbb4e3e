import { isPlainObject, parseJson, type Json } from '../base/json.ts';
import type { Redactor } from '../base/redact.ts';
import { ToolError } from '../contract/tool-error.ts';
import { codeForStatus } from './code-for-status.ts';
import type { HttpReply } from './http-client.ts';

const HINT_LENGTH = 160;
const KEPT = 8 * 1024;
const REFUSED = [
  'The service refused the request',
  'Report it to the owner of the skill.',
] as const;
const WORDS: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  INVALID_PARAMS: ['The service refused the parameters', 'Correct them and call again.'],
  UNAUTHORISED: [
    'The service refused the credentials of this skill',
    'Its owner must check its secrets; calling again does not help.',
  ],
  NOT_FOUND: [
    'The service has nothing under these parameters',
    'Look for what there is, or send others.',
  ],
  RATE_LIMITED: ['The service limits how often it may be called', 'Call again later.'],
  UPSTREAM_ERROR: ['The service failed', 'Try again later.'],
  conflict: [
    'The request conflicts with the present state of the service',
    'Look up that state before calling again.',
  ],
  redirect: [
    'The service redirects elsewhere, which is not followed',
    'The owner of the skill must set executor.url to the final address.',
  ],
};

/**
 * The failure a reply outside 2xx stands for. Of its body only a short redacted message of a 4xx
 * other than 401 and 403 is shown; the start of the body is kept as the cause.
 */
export function replyFailure(
  { status, headers, output: { text } }: HttpReply,
  redactor: Redactor,
): ToolError {
  const { code, retryable, reason } = codeForStatus(status);
  const wait =
    retryAfter(headers['retry-after'], Date.now()) ?? (code === 'RATE_LIMITED' ? 1 : undefined);
  const [what, advice] = WORDS[reason ?? code] ?? REFUSED;
  const hint =
    status >= 400 && status < 500 && code !== 'UNAUTHORISED' ? hintIn(text, redactor) : '';
  const next = wait === undefined ? advice : `Call again after ${wait} s.`;
  return new ToolError(code, `${what} (HTTP ${status})${hint}. ${next}`, {
    details: {
      status,
      ...(reason === undefined ? {} : { reason }),
      ...(wait === undefined ? {} : { retry_after: wait }),
    },
    retryable,
    cause: text.slice(0, KEPT),
  });
}

/** Seconds to wait by a Retry-After header, a number or an HTTP date (RFC 9110 section 10.2.3); undefined when it is neither. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

/** The message of an error in JSON, wherever services put it (RFC 9457 `detail`, `message`, `error` ...). */
function hintIn(body: string, redactor: Redactor): string {
  let parsed: Json;
  try {
    parsed = parseJson(body);
  } catch {
    return '';
  }
  if (!isPlainObject(parsed)) return '';
  const inner = isPlainObject(parsed['error']) ? parsed['error'] : {};
  const said = [
    inner['message'],
    parsed['detail'],
    parsed['message'],
    parsed['error'],
    parsed['title'],
  ].find((text) => typeof text === 'string' && text.trim() !== '') as string | undefined;
  if (said === undefined) return '';
  // Redacted before it is cut: half a secret would not be recognised.
  const clean = redactor.text(said.slice(0, KEPT)).replaceAll(/\s+/g, ' ').trim();
  return `: ${JSON.stringify(clean.length > HINT_LENGTH ? `${clean.slice(0, HINT_LENGTH)}…` : clean)}`;
}
