/** One thing that is measured. */
export interface Contestant {
  readonly name: string;
  run(): unknown;
}

/** What a contestant costs per call, in µs: the medians over all rounds. */
export interface Cost {
  readonly name: string;
  readonly main: number;
  readonly all: number;
  readonly wall: number;
}

/** Command-line options of every benchmark here: `--json`, `--rounds n`. */
export function benchOptions(): { readonly json: boolean; readonly rounds: number } {
  const at = process.argv.indexOf('--rounds');
  return {
    json: process.argv.includes('--json'),
    rounds: at < 0 ? 9 : Number(process.argv[at + 1]),
  };
}

/**
 * Measures contestants in rounds, all of them in each round and in random order, so that a slow moment of
 * the machine falls on all alike; CPU time of the calling thread and of the whole process, and wall time.
 */
export async function measure(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<readonly Cost[]> {
  const samples = new Map(contestants.map(({ name }) => [name, [] as Cost[]]));
  const counts = new Map<string, number>();
  for (const { name, run } of contestants) {
    for (let call = 0; call < 10_000; call++) await run();
    const start = performance.now();
    for (let call = 0; call < 2_000; call++) await run();
    // Long enough that the clock's grain does not show.
    const each = (performance.now() - start) / 2_000;
    counts.set(name, Math.min(400_000, Math.max(2_000, Math.round(120 / each))));
  }
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of shuffled(contestants)) {
      const calls = counts.get(name) ?? 2_000;
      const wall = performance.now();
      const all = process.cpuUsage();
      const main = process.threadCpuUsage();
      for (let call = 0; call < calls; call++) await run();
      const mainSpent = process.threadCpuUsage(main);
      const allSpent = process.cpuUsage(all);
      samples.get(name)?.push({
        name,
        main: (mainSpent.user + mainSpent.system) / calls,
        all: (allSpent.user + allSpent.system) / calls,
        wall: ((performance.now() - wall) * 1_000) / calls,
      });
      // What the writing thread still has to do belongs to nobody's next round.
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }
  return [...samples].map(([name, costs]) => ({
    name,
    main: median(costs.map((cost) => cost.main)),
    all: median(costs.map((cost) => cost.all)),
    wall: median(costs.map((cost) => cost.wall)),
  }));
}

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}

/** A Markdown table of costs, with ratios to the one named as base. */
export function costTable(title: string, costs: readonly Cost[], base: string): string {
  const reference = costs.find(({ name }) => name === base);
  const rows = costs.map(({ name, main, all, wall }) => {
    const ratio = (value: number, to: number | undefined): string =>
      `${(value / (to ?? Number.NaN)).toFixed(2)}x`;
    return `| ${name} | ${main.toFixed(2)} | ${ratio(main, reference?.main)} | ${all.toFixed(2)} | ${wall.toFixed(2)} |`;
  });
  return [
    `### ${title}`,
    '',
    `| µs per call | main thread CPU | ratio | all threads CPU | wall |`,
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** A line that says whether a goal is met. */
export function goal(what: string, value: number, limit: number): string {
  return `${value <= limit ? 'met   ' : 'MISSED'} ${what}: ${value.toFixed(2)} (goal at most ${limit})`;
}
