import { readFileSync } from 'node:fs';
import type { DialectCase } from './dialects/case.ts';
import { checkCase } from './dialects/check-case.ts';

// npm run cases:dialects -- <file.jsonl>: one line a case, then the totals.
const [file, ...rest] = process.argv.slice(2);
if (file === undefined || rest.length > 0) {
  console.error('Name one file of cases: npm run cases:dialects -- <file.jsonl>');
  process.exit(2);
}

let passed = 0;
let failed = 0;
let dangerous = 0;
for (const [index, line] of read(file).entries()) {
  if (line.trim() === '') continue;
  const given = parse(line, index);
  const verdict = checkCase(given);
  const sound = verdict.faults.length === 0;
  if (sound) passed++;
  else failed++;
  if (verdict.dangerous) dangerous++;
  const mark = `${sound ? 'ok    ' : 'FAILED'} ${given.kind} ${given.target} ${given.id}`;
  console.log(
    [mark, ...verdict.faults, ...verdict.remarks, ...(verdict.dangerous ? ['DANGEROUS'] : [])].join(
      '\n         ',
    ),
  );
}
console.log(`\n${passed} of ${passed + failed} passed, ${dangerous} dangerous`);
process.exitCode = failed > 0 || dangerous > 0 ? 1 : 0;

function read(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    console.error(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
    return process.exit(2);
  }
}

function parse(line: string, index: number): DialectCase {
  const unreadable = { id: `line ${index + 1}`, target: '-', kind: 'not JSON', expected: {} };
  try {
    return { ...unreadable, ...(JSON.parse(line) as object) };
  } catch {
    return unreadable;
  }
}
