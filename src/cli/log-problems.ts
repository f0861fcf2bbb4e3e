import { relative } from 'node:path';
import type { Problem } from '../registry/snapshot.ts';
import type { Terminal } from './terminal.ts';

/** Says on stderr what is wrong with the library, one line a problem: where, what, and what to do. */
export function logProblems(problems: readonly Problem[], { log, err }: Terminal): void {
  for (const { severity, skill, file, line, message } of problems) {
    const mark = severity === 'error' ? err.red('error') : err.yellow('warning');
    const place = file === undefined ? '' : ` ${err.dim(shown(file, line))}`;
    log(`${mark} ${skill}${place} ${message}`);
  }
}

function shown(file: string, line: number | undefined): string {
  const near = relative('', file);
  const path = near.startsWith('..') ? file : near;
  return line === undefined ? path : `${path}:${line}`;
}
