const MARK = '[redacted]';

// Cheap look for anything worth a closer one; texts without a hit, nearly all, are passed on as they are.
const SUSPICIOUS =
  /bearer|basic |passw|pwd|secret|token|api[_-]?key|authorization|cookie|credential|private|:\/\/[^\s"'/@]{1,256}@|eyJ|akia|asia|sk-|gh[pousr]_|github_pat|xox|glpat|aiza/i;

const KEYS = String.raw`[\w.-]{0,40}(?:passw(?:or)?d|passwd|passphrase|pwd|secret|(?<![a-z])token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credentials?|cookie)[\w-]{0,40}`;

const RULES: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,10000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    MARK,
  ],
  [/\b([a-z][a-z0-9+.-]{1,30}:\/\/)[^\s"'/@]{1,256}@/gi, `$1${MARK}@`],
  [/\b(bearer|basic)(\s+|%20)[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${MARK}`],
  [/\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g, MARK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MARK],
  [/\b(?:sk|pk|rk)-[\w-]{16,}|\bsk_(?:live|test)_\w{8,}/g, MARK],
  [
    /\bgh[pousr]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{12,}|\bxox[abeoprs]-[\w-]{8,}|\bAIza[\w-]{30,}/g,
    MARK,
  ],
  // "key": "value" in JSON text, where the value ends at the first quote that is not escaped.
  [new RegExp(String.raw`("${KEYS}"\s*:\s*)"(?:[^"\\]|\\.)*"`, 'gi'), `$1"${MARK}"`],
  [new RegExp(String.raw`("${KEYS}"\s*:\s*)-?\d[\d.eE+-]*`, 'gi'), `$1"${MARK}"`],
  // key=value and key: value in plain text.
  [
    new RegExp(
      String.raw`\b(${KEYS}\s{0,3}[=:]\s{0,3})(?!\[redacted\]|"|bearer|basic)[^\s"',;&}\]]{1,512}`,
      'gi',
    ),
    `$1${MARK}`,
  ],
];

/** Takes secrets out of text on its way to a message, a log, a trace or the audit. */
export interface Redactor {
  /** The text without known secret values and without anything that looks like a credential. */
  text(text: string): string;
  /** A copy of a JSON value, every string and key in it redacted; values under a credential's name go whole. */
  value<T>(value: T): T;
  /** True when `text` or `value` would change something in this text; a cheap look. */
  touches(text: string): boolean;
  /** The value without known secret values; what merely looks like a credential is left alone. */
  knownIn<T>(value: T): T;
}

/**
 * A redactor that knows these secret values (also as JSON, URL and base64 spell them). Values of fewer
 * than 4 characters are ignored, since they would blank half of every text.
 */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
    for (const spelling of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      base64,
    ])
      spellings.add(spelling);
  }
  // Longest first: a secret that contains another must go whole.
  const values = [...spellings].sort((left, right) => right.length - left.length);
  const known = (text: string): string => {
    let clean = text;
    for (const value of values) if (clean.includes(value)) clean = clean.replaceAll(value, MARK);
    return clean;
  };
  const text = (original: string): string => {
    let clean = values.length === 0 ? original : known(original);
    if (SUSPICIOUS.test(clean))
      for (const [pattern, mark] of RULES) clean = clean.replace(pattern, mark);
    return clean;
  };
  return {
    text,
    touches: (original) =>
      SUSPICIOUS.test(original) || values.some((value) => original.includes(value)),
    value: (value) => redactValue(value, text, SECRET_KEY) as typeof value,
    knownIn: (value) => (values.length === 0 ? value : (redactValue(value, known) as typeof value)),
  };
}

const SECRET_KEY = new RegExp(`^${KEYS}$`, 'i');

function redactValue(
  value: unknown,
  text: (text: string) => string,
  secretKey?: RegExp,
  depth = 0,
): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 200) return MARK;
  if (Array.isArray(value))
    return value.map((item) => redactValue(item, text, secretKey, depth + 1));
  const clean: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    const scalar = typeof child === 'string' || typeof child === 'number';
    clean[text(key)] =
      scalar && secretKey?.test(key) === true
        ? MARK
        : redactValue(child, text, secretKey, depth + 1);
  }
  return clean;
}
