import { formatExactTime, formatRelativeTime } from '../lib/format.ts';
import { useTimeStyle } from '../lib/time-style.ts';
import { useNow } from '../lib/use-now.ts';

/** A time relative to now, with the exact time on hover, or the exact time if the person wants those. */
export function RelativeTime({ at }: { at: Date }) {
  const now = useNow();
  const isExact = useTimeStyle() === 'exact';
  return (
    <time dateTime={at.toISOString()} {...(!isExact && { title: formatExactTime(at) })}>
      {isExact ? formatExactTime(at) : formatRelativeTime(at, now)}
    </time>
  );
}
