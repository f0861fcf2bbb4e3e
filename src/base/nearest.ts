/** Edits (insert, delete, replace, swap neighbours) that turn one text into the other (optimal string alignment). */
export function editDistance(left: string, right: string): number {
  const width = right.length + 1;
  let before = Array.from({ length: width }, () => 0);
  let previous = Array.from({ length: width }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = Array.from({ length: width }, () => row);
    for (let column = 1; column < width; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      if (swapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      current[column] = cost;
    }
    before = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}

function words(name: string): string[] {
  return name
    .slice(0, 128)
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** How alike two identifiers are, 0 to 1: the same letters, the words of one inside the other, or few edits apart. */
export function nameSimilarity(left: string, right: string): number {
  const leftWords = words(left);
  const rightWords = words(right);
  const a = leftWords.join('');
  const b = rightWords.join('');
  if (a === '' || b === '') return left === right ? 1 : 0;
  if (a === b) return 1;
  const [few, many] =
    leftWords.length <= rightWords.length ? [leftWords, rightWords] : [rightWords, leftWords];
  const contained = few.every((word) => many.includes(word)) && few.join('').length >= 2;
  const edits = 1 - editDistance(a, b) / Math.max(a.length, b.length);
  return Math.max(contained ? 0.8 : 0, edits);
}

/** The candidates most like a name, best first; only those at least `threshold` alike (0 to 1). */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  limit = 3,
  threshold = 0.6,
): string[] {
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of candidates) {
    const score = nameSimilarity(name, candidate);
    if (score >= threshold) scored.push({ candidate, score });
  }
  scored.sort((a, b) => b.score - a.score || (a.candidate < b.candidate ? -1 : 1));
  return scored.slice(0, limit).map(({ candidate }) => candidate);
}
