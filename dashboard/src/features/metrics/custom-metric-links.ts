import type { CustomMetric, CustomMetricValues } from '@gatebook/js/admin';
import { eventsHref, writeSpan } from '../../components/events/event-search.ts';
import { noLinks, type PointLinks } from './people-href.ts';

/** The fields that lists of events can be filtered by. */
const listed = new Set(['type', 'team_id']);

/** Links from the numbers of a metric to the events that it counts, if a list of events can show exactly these. */
export function eventLinksOf(
  projectId: string,
  { eventTypes, filter, groupBy }: Pick<CustomMetric, 'eventTypes' | 'filter' | 'groupBy'>,
  { intervals }: Pick<CustomMetricValues, 'intervals'>,
): PointLinks {
  if (!Object.keys(filter).every((field) => listed.has(field))) return noLinks;
  const types = filter.type ?? eventTypes.join(',');
  const hrefOf = (nth: number, narrower: { types?: string; team?: string }): string | null => {
    const interval = intervals[nth];
    if (!interval) return null;
    const time = writeSpan({ from: interval.start, until: interval.end });
    return eventsHref(projectId, { types, ...(filter.team_id && { team: filter.team_id }), ...narrower, time });
  };
  return {
    ...noLinks,
    interval: (nth) => hrefOf(nth, {}),
    group: (nth, value) => {
      if (!value || !groupBy || !listed.has(groupBy)) return null;
      return hrefOf(nth, groupBy === 'type' ? { types: value } : { team: value });
    },
  };
}
