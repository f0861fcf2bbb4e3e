import { readdirSync, readFileSync } from 'node:fs';

/** CPU time a process has used on all its threads, ended ones aside, in µs. Linux only. */
export function processCpu(pid: number): number {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(
      readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0],
    );
  }
  return nanoseconds / 1_000;
}

/** CPU time of a process and its living descendants, in µs. */
export function treeCpu(pid: number): number {
  let total = processCpu(pid);
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    for (const child of children === '' ? [] : children.split(' ')) total += treeCpu(Number(child));
  }
  return total;
}

/** The most memory a process has held, in MB. */
export function peakMemory(pid: number): number {
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1]) / 1_024;
}
