import { plural, t } from '@lingui/core/macro';

/** Times before now that filters offer, as the URL has them. */
export const ranges: readonly { from: string; label: string }[] = [
  { from: '-1h', label: t`Last hour` },
  { from: '-24h', label: t`Last 24 hours` },
  { from: '-7d', label: t`Last 7 days` },
  { from: '-30d', label: t`Last 30 days` },
  { from: '-365d', label: t`Last year` },
];

/** null for a fixed time. */
export function rangeText(from: string): string | null {
  const [, count, unit] = /^-(\d{1,5})([hd])$/.exec(from) ?? [];
  if (count === undefined) return null;
  const known = ranges.find((each) => each.from === from);
  if (known) return known.label;
  return unit === 'h'
    ? plural(Number(count), { one: 'Last hour', other: 'Last # hours' })
    : plural(Number(count), { one: 'Last day', other: 'Last # days' });
}
