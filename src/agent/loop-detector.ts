/** Notices an agent that goes round in circles: the same step again and again, or two in turn. */
export class LoopDetector {
  readonly #steps: string[] = [];

  /** True when a reply makes the very calls of the one before. */
  repeats(calls: string): boolean {
    return this.#steps.at(-1)?.startsWith(`${calls}\n`) === true;
  }

  /** Takes a step, its calls and what they came to; true when it has gone round often enough to be stopped. */
  add(calls: string, results: string): boolean {
    this.#steps.push(`${calls}\n${results}`);
    const [a, b, c, d, e, f] = this.#steps.slice(-6).toReversed();
    const same = a === b && b === c && c !== undefined;
    const inTurn = f !== undefined && a === c && c === e && b === d && d === f;
    return same || inTurn;
  }
}
