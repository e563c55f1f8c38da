import type { EventMethods, PublicEvent } from '@gatebook/js/events';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconBroadcast } from '@tabler/icons-react';
import audit from '../../components/audit/audit.module.css';
import { CopyField } from '../../components/copy-field.tsx';
import { curlAsServer } from '../../components/events/curl.ts';
import { type EventSearch, eventFields, filtersOf, readSpan } from '../../components/events/event-search.ts';
import classes from '../../components/events/events.module.css';
import { LivePill } from '../../components/events/live-pill.tsx';
import { useEventFeed } from '../../components/events/use-event-feed.ts';
import { Card, EmptyNote, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { formatDay, formatZonedTime } from '../../lib/format.ts';
import { EventRow, type EventRowProps } from './event-row.tsx';

type EventFeedProps = Pick<EventRowProps, 'projectId' | 'apiUrl' | 'onOpen' | 'onFilter'> & {
  events: EventMethods;
  search: EventSearch;
};

/** The newest events, and new ones as they happen. */
export function EventFeed({ events, search, ...row }: EventFeedProps) {
  const { projectId, apiUrl } = row;
  const span = readSpan(search.time);
  const feed = useEventFeed(events, projectId, filtersOf(search), span);
  const { items, error, from, older } = feed;
  const query = new URLSearchParams(queryOf(search)).toString();
  const path = `/events/stream${query === '' ? '' : `?${query}`}`;
  return (
    <Card
      title={span ? t`Events` : t`Latest events`}
      flush
      details={items && !span && <LivePill state={feed.state} onToggle={feed.togglePause} />}
    >
      {error !== undefined && (
        <ErrorNote
          title={t`The events could not be loaded`}
          error={error}
          onRetry={feed.refresh}
          isRetrying={feed.isFetching}
        />
      )}
      {items === undefined && error === undefined && <RowsLoading rows={8} label={t`Loading events`} />}
      {items && search.event !== undefined && !items.some(({ id }) => id === search.event) && (
        <LinkedEvent {...row} events={events} eventId={search.event} />
      )}
      {items?.length === 0 && from === null && <NoEvents search={search} onFilter={row.onFilter} />}
      {items &&
        groupByDay(items).map(([day, dayEvents]) => (
          <section key={day} aria-label={day}>
            <h3 className={audit.day}>{day}</h3>
            <ol className={audit.entries}>
              {dayEvents.map((event) => (
                <EventRow key={event.id} {...row} event={event} isOpen={event.id === search.event} />
              ))}
            </ol>
          </section>
        ))}
      {items && (
        <div className={classes.more}>
          {from !== null && (
            <>
              {older.error !== undefined && <ErrorNote error={older.error} />}
              <Button variant="default" size="xs" loading={older.isRunning} onClick={older.load}>
                <Trans>Load older events</Trans>
              </Button>
              <span>
                <Trans>Shown since {formatZonedTime(new Date(from))}</Trans>
              </span>
            </>
          )}
          {!span && (
            <details className={classes.folded}>
              <summary>
                <Trans>Follow with curl</Trans>
              </summary>
              <CopyField label="curl" value={curlAsServer(apiUrl, projectId, path, true)} isHeading={false} />
            </details>
          )}
        </div>
      )}
    </Card>
  );
}

/** The filters as the API names them. */
const queryOf = ({ types, user, team }: EventSearch): Record<string, string> => ({
  ...(types !== undefined && { types }),
  ...(user !== undefined && { user_id: user }),
  ...(team !== undefined && { team_id: team }),
});

function groupByDay(events: readonly PublicEvent[]): [day: string, events: PublicEvent[]][] {
  const days = Map.groupBy(events, ({ created_at_millis: at }) => formatDay(new Date(at)));
  return [...days];
}

type LinkedEventProps = Omit<EventRowProps, 'event' | 'isOpen'> & { events: EventMethods; eventId: string };

/** An event that a link leads to, and that is not in the list. */
function LinkedEvent({ events, eventId, ...row }: LinkedEventProps) {
  const found = useResource(['event', row.projectId, eventId], () => events.getEvent(eventId));
  if (found.error !== undefined) return <ErrorNote title={t`This event could not be loaded`} error={found.error} />;
  if (!found.value) return <RowsLoading rows={1} label={t`Loading event`} />;
  return (
    <ol className={audit.entries}>
      <EventRow {...row} event={found.value} isOpen />
    </ol>
  );
}

function NoEvents({ search, onFilter }: Pick<EventFeedProps, 'search' | 'onFilter'>) {
  const span = readSpan(search.time);
  const isFiltered = span !== null || eventFields.some((field) => search[field] !== undefined);
  return (
    <EmptyNote
      icon={<IconBroadcast size={22} aria-hidden />}
      title={isFiltered ? t`No events match these filters` : t`No events yet`}
      action={
        isFiltered && (
          <Button
            variant="default"
            onClick={() => onFilter({ types: undefined, user: undefined, team: undefined, time: undefined })}
          >
            <Trans>Show all events</Trans>
          </Button>
        )
      }
    >
      {!span && (isFiltered ? t`New events that match appear here.` : t`Events appear here as your project is used.`)}
    </EmptyNote>
  );
}
