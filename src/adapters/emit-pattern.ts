import type { SchemaRules } from './dialects/rules.ts';

const SHORT: Readonly<Record<string, string>> = { d: '0-9', w: 'A-Za-z0-9_', s: ' \\t\\r\\n' };

/** A pattern as a dialect takes it; undefined when it has no way to say it. */
export function emitPattern(
  pattern: string,
  patterns: SchemaRules['patterns'],
): string | undefined {
  if (patterns === 'any') return pattern;
  if (/\(\?[=!<]/.test(pattern)) return undefined;
  if (patterns === 'no-lookaround') return pattern;
  if (/\\[bBpPkux1-9]/.test(pattern)) return undefined;
  return patterns === 'simple' ? pattern : forGrammar(pattern);
}

/** llama.cpp: anchored on both sides and without shorthand classes, which its grammars cannot read. */
function forGrammar(pattern: string): string | undefined {
  if (!/^\^.*\$$/s.test(pattern) || /\\[DWS]|\(\?/.test(pattern)) return undefined;
  let written = '';
  let inClass = false;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] as string;
    if (character === '\\') {
      const next = pattern[++index] ?? '';
      const short = SHORT[next];
      written += short === undefined ? `\\${next}` : inClass ? short : `[${short}]`;
      continue;
    }
    if (character === '[') inClass = true;
    if (character === ']') inClass = false;
    written += character;
  }
  return written;
}
