import { stripVTControlCharacters } from 'node:util';

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/gu;

/** Rows in columns as wide as their widest cell; the last column is cut so that a line fits `width` characters. */
export function renderTable(rows: readonly (readonly string[])[], width = Infinity): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
    });
  }
  const before = widths.slice(0, -1).reduce((sum, cell) => sum + cell + 2, 0);
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          if (column === row.length - 1) return cut(cell, Math.max(20, width - before));
          return cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell) + 2);
        })
        .join(''),
    )
    .join('\n');
}

function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  return plain.length + (plain.match(WIDE)?.length ?? 0);
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += displayWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}
