import autocannon from 'autocannon';

export type Request = { url: string; method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };

/** Answers per second under `connections` open connections. @throws Error when any answer is not 2xx */
export async function answersPerSecond(
  { url, ...request }: Request,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const result = await autocannon({ url, ...request, connections, duration: seconds });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed`);
  return result['2xx'] / result.duration;
}

/** Runs two measurements in turn, so that a noisy minute hits both. @returns the median of each */
export async function inTurn(
  rounds: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<{ first: number; second: number }> {
  const firsts: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    firsts.push(await first());
    seconds.push(await second());
  }
  return { first: median(firsts), second: median(seconds) };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
