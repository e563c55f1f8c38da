import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { AppLink, PlainLink } from '../../components/app-link.tsx';
import { subjectsOf, unnamed } from '../../components/events/event-facts.ts';
import { EventMark } from '../../components/events/event-mark.tsx';
import { LivePill } from '../../components/events/live-pill.tsx';
import { type FeedClient, useEventFeed } from '../../components/events/use-event-feed.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, ErrorNote, RowsLoading } from '../../components/states.tsx';
import classes from './overview-page.module.css';

const shown = 7;
const noFilters = {};

/** The newest events, and new ones as they happen. */
export function LiveActivity({ events, projectId }: { events: FeedClient; projectId: string }) {
  const { items, error, state, togglePause, refresh, isFetching } = useEventFeed(events, projectId, noFilters);
  const page = `/projects/${projectId}/events`;
  return (
    <Card
      title={t`Activity`}
      labelId="activity-title"
      flush
      details={
        <>
          {items && <LivePill state={state} onToggle={togglePause} />}
          <AppLink href={page} size="sm">
            <Trans>All events</Trans>
          </AppLink>
        </>
      }
    >
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} isRetrying={isFetching} />}
      {items === undefined && error === undefined && <RowsLoading rows={5} label={t`Loading activity`} />}
      {items?.length === 0 && (
        <Text size="sm" c="dimmed" p="lg">
          <Trans>Events appear here as your project is used.</Trans>
        </Text>
      )}
      <ul className={classes.people}>
        {items?.slice(0, shown).map((event) => {
          const [subject] = subjectsOf(event);
          return (
            <li key={event.id}>
              <PlainLink href={`${page}?event=${event.id}`} className={classes.person}>
                <EventMark type={event.type} />
                <span className={classes.personText}>
                  <span>{event.type}</span>
                  <small>{subject ? (subject.name ?? unnamed(subject)) : t`project`}</small>
                </span>
                <span className={classes.when}>
                  <RelativeTime at={new Date(event.created_at_millis)} />
                </span>
              </PlainLink>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
