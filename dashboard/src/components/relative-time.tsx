import { formatExactTime, formatRelativeTime, formatZonedTime } from '../lib/format.ts';
import { useIsSettled } from '../lib/late.ts';
import { useTimeStyle } from '../lib/time-style.ts';
import { useNow } from '../lib/use-now.ts';
import { useIsUtc } from '../lib/zone.ts';

/** A time relative to now, with the exact time on hover, or the exact time if the person wants those. */
export function RelativeTime({ at }: { at: Date }) {
  const now = useNow();
  const isUtc = useIsUtc();
  const isExact = useTimeStyle() === 'exact';
  // The first exact time takes a tenth of the rendering of a page.
  const hasTitle = useIsSettled() && !isExact;
  return (
    <time dateTime={at.toISOString()} {...(hasTitle && { title: formatZonedTime(at, isUtc) })}>
      {isExact ? formatExactTime(at, isUtc) : formatRelativeTime(at, now)}
    </time>
  );
}
