interface Params {
  readonly day: string;
  readonly workdays: number;
}

const DAY_MS = 86_400_000;
const NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export function execute({ day, workdays }: Params): unknown {
  const step = workdays < 0 ? -DAY_MS : DAY_MS;
  let time = Date.parse(day);
  for (let left = Math.abs(workdays); left > 0;) {
    time += step;
    const weekday = new Date(time).getUTCDay();
    if (weekday !== 0 && weekday !== 6) left--;
  }
  const result = new Date(time);
  return { day: result.toISOString().slice(0, 10), weekday: NAMES[result.getUTCDay()] };
}
