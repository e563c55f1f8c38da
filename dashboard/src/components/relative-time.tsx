import { formatExactTime, formatRelativeTime } from '../lib/format.ts';
import { useTimeStyle } from '../lib/time-style.ts';
import { useNow } from '../lib/use-now.ts';
import { useIsUtc } from '../lib/zone.ts';

/** A time relative to now, with the exact time on hover, or the exact time if the person wants those. */
export function RelativeTime({ at }: { at: Date }) {
  const now = useNow();
  const exact = formatExactTime(at, useIsUtc());
  const isExact = useTimeStyle() === 'exact';
  return (
    <time dateTime={at.toISOString()} {...(!isExact && { title: exact })}>
      {isExact ? exact : formatRelativeTime(at, now)}
    </time>
  );
}
