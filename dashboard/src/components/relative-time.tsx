import { formatExactTime, formatRelativeTime } from '../lib/format.ts';
import { useNow } from '../lib/use-now.ts';

/** A time relative to now, with the exact time on hover. */
export function RelativeTime({ at }: { at: Date }) {
  const now = useNow();
  return (
    <time dateTime={at.toISOString()} title={formatExactTime(at)}>
      {formatRelativeTime(at, now)}
    </time>
  );
}
