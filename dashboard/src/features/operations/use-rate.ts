import { t } from '@lingui/core/macro';
import { useEffect, useState } from 'react';
import { formatCount, formatDecimal } from '../../lib/format.ts';

type Sample = { at: number; position: bigint };
/** The rate is averaged over this window. */
const WINDOW_MS = 10_000;

/** Events per second by which a position advances; null until two samples exist. */
export function useRate(position: bigint): number | null {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    const at = performance.now();
    setSamples((before) => [...before.filter((sample) => at - sample.at < WINDOW_MS), { at, position }]);
  }, [position]);
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at === first.at) return null;
  return (Number(last.position - first.position) * 1000) / (last.at - first.at);
}

/** The rate and the remaining time, as far as known. */
export function describeRemaining(rate: number | null, left: bigint): string[] {
  if (rate === null || rate <= 0) return [];
  return [t`${formatCount(Math.round(rate))} events/s`, t`${describeSeconds(Number(left) / rate)} left`];
}

function describeSeconds(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  return whole < 3600 ? t`${Math.round(whole / 60)} min` : `${formatDecimal(whole / 3600)} h`;
}
