import type { CustomMetric, CustomMetricValues } from '@gatebook/js/admin';
import { eventsHref, writeSpan } from '../../components/events/event-search.ts';
import { noLinks, type PointLinks } from './people-href.ts';

/** Links from the numbers of a metric to the events that it counts, if a list of events can show exactly these. */
export function eventLinksOf(
  projectId: string,
  { eventTypes, filter, groupBy }: Pick<CustomMetric, 'eventTypes' | 'filter' | 'groupBy'>,
  { intervals }: Pick<CustomMetricValues, 'intervals'>,
): PointLinks {
  const { team_id: team, ...others } = filter;
  if (Object.keys(others).length > 0) return noLinks;
  const hrefOf = (nth: number, narrower: { types?: string; team?: string }): string | null => {
    const interval = intervals[nth];
    if (!interval) return null;
    const time = writeSpan({ from: interval.start, until: interval.end });
    return eventsHref(projectId, { types: eventTypes.join(','), ...(team && { team }), ...narrower, time });
  };
  return {
    ...noLinks,
    interval: (nth) => hrefOf(nth, {}),
    group: (nth, value) => {
      if (!value) return null;
      if (groupBy === 'type') return hrefOf(nth, { types: value });
      return groupBy === 'team_id' ? hrefOf(nth, { team: value }) : null;
    },
  };
}
