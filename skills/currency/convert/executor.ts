import type { ExecutionContext } from '../../../src/index.ts';

interface Params {
  readonly amount: number;
  readonly from: string;
  readonly to: string;
}

export async function execute(
  { amount, from, to }: Params,
  { invoke }: ExecutionContext,
): Promise<unknown> {
  const { rates } = (await invoke('currency.rates', { base: from })) as {
    readonly rates: Readonly<Record<string, number>>;
  };
  const rate = rates[to] ?? Number.NaN;
  return { amount: Math.round(amount * rate * 100) / 100, currency: to, rate };
}
