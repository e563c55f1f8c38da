import type { HistoryClient, HistoryEntry, HistoryPage } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { EventIcon } from './event-icon.tsx';
import { describeActor, groupByDay, mergeNewestPage } from './history-pages.ts';
import classes from './user-page.module.css';

const PAGE_SIZE = 20;

type Props = { history: HistoryClient; projectId: string; userId: string };

/** The user's events from the log, newest first. */
export function UserHistory({ history, projectId, userId }: Props) {
  const newest = useResource(['history', projectId, userId], () => history.list(userId, { limit: PAGE_SIZE }));
  const [loaded, setLoaded] = useState<HistoryPage | null>(null);
  const shown = newest.value && mergeNewestPage(loaded, newest.value);
  const more = useAction(async (before: string, above: readonly HistoryEntry[]) => {
    const page = await history.list(userId, { before, limit: PAGE_SIZE });
    setLoaded({ items: [...above, ...page.items], nextBefore: page.nextBefore });
  });
  return (
    <Card title="History" labelId="history-title" flush>
      {newest.error !== undefined && (
        <ErrorNote error={newest.error} onRetry={newest.refresh} isRetrying={newest.isFetching} />
      )}
      {shown === undefined && newest.error === undefined && <RowsLoading rows={6} label="Loading history" />}
      {shown?.items.length === 0 && (
        <Text size="sm" c="dimmed" p="lg">
          No history yet
        </Text>
      )}
      {shown &&
        groupByDay(shown.items).map(({ day, entries }) => (
          <section key={day} aria-label={day}>
            <div className={classes.day}>{day}</div>
            <ol className={classes.entries}>
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} userId={userId} />
              ))}
            </ol>
          </section>
        ))}
      {shown?.nextBefore && (
        <div className={classes.more}>
          {more.error !== undefined && <ErrorNote error={more.error} />}
          <Button
            variant="default"
            size="xs"
            loading={more.isRunning}
            onClick={() => shown.nextBefore && void more.run(shown.nextBefore, shown.items)}
          >
            Load older events
          </Button>
        </div>
      )}
    </Card>
  );
}

function Entry({ entry, userId }: { entry: HistoryEntry; userId: string }) {
  return (
    <li className={classes.entry}>
      <EventIcon type={entry.type} />
      <div className={classes.entryText}>
        {entry.text}
        <small>
          <RelativeTime at={entry.at} /> · by {describeActor(entry.actor, userId)}
        </small>
      </div>
    </li>
  );
}
