import type { EventFilters, EventMethods, PublicEvent } from '@gatebook/js/events';
import { useAction, useResource } from '@gatebook/react';
import { useEffect, useRef, useState } from 'react';
import { useIsVisible } from '../../lib/use-polling.ts';
import type { EventSpan } from './event-search.ts';
import { type NewestEvents, readNewest } from './read-newest.ts';

export type FeedClient = Pick<EventMethods, 'listEvents' | 'followEvents'>;
/** `paused` counts the events that wait to be shown. */
export type FeedState = { kind: 'live' } | { kind: 'connecting' } | { kind: 'paused'; waiting: number };

/** A page that stays open for days shows no more. */
const MOST_LIVE = 1_000;

/**
 * Events that match the filters, newest first: those of the past on demand, new ones as they happen, unless only those
 * of a span of time are shown.
 */
export function useEventFeed(
  events: FeedClient,
  projectId: string,
  filters: EventFilters,
  span: EventSpan | null = null,
) {
  const key = JSON.stringify(filters);
  const readBefore = (before: number | undefined) =>
    readNewest(events.listEvents, filters, { since: span?.from, before, now: Date.now() });
  const newest = useResource(['events', projectId, key, span?.from ?? null, span?.until ?? null], () =>
    readBefore(span?.until),
  );
  const base = newest.value;
  const [loaded, setLoaded] = useState<{ base: NewestEvents; page: NewestEvents } | null>(null);
  const { live, isConnected, error: liveError } = useNewEvents(events, key, span ? undefined : base);
  const [held, setHeld] = useState<{ base: NewestEvents; live: readonly PublicEvent[] } | null>(null);
  const past = base && loaded?.base === base ? loaded.page : base;
  const older = useAction(async () => {
    if (!base || !past || past.from === null) return;
    const page = await readBefore(past.from);
    setLoaded({ base, page: { ...page, items: [...past.items, ...page.items] } });
  });
  const shownLive = base && held?.base === base ? held.live : null;
  const state: FeedState = shownLive
    ? { kind: 'paused', waiting: countNewer(live, shownLive) }
    : { kind: isConnected ? 'live' : 'connecting' };
  return {
    items: past && [...(shownLive ?? live), ...past.items],
    error: newest.error ?? liveError,
    isFetching: newest.isFetching,
    refresh: newest.refresh,
    state,
    togglePause: () => setHeld(shownLive || !base ? null : { base, live }),
    /** Since when all matching events are shown; null: there are no older ones. */
    from: past?.from ?? null,
    older: { isRunning: older.isRunning, error: older.error, load: () => void older.run() },
  };
}

function countNewer(live: readonly PublicEvent[], shown: readonly PublicEvent[]): number {
  const place = live.findIndex(({ id }) => id === shown[0]?.id);
  return place < 0 ? live.length : place;
}

const none: readonly PublicEvent[] = [];

/** What happens after the base was read, newest first, while the page is visible. */
function useNewEvents(events: FeedClient, key: string, base: NewestEvents | undefined) {
  const [found, setFound] = useState<{ base: NewestEvents; items: readonly PublicEvent[] } | null>(null);
  const [isConnected, setConnected] = useState(false);
  const [error, setError] = useState<unknown>();
  const isVisible = useIsVisible();
  /** Where the last connection ended. */
  const last = useRef<{ base: NewestEvents; after: string }>(null);
  useEffect(() => {
    if (!isVisible || !base) return;
    const stop = new AbortController();
    const { signal } = stop;
    const add = (event: PublicEvent): void =>
      setFound((before) => {
        const items = before?.base === base ? before.items : none;
        return { base, items: [event, ...items].slice(0, MOST_LIVE) };
      });
    const follow = async (): Promise<void> => {
      const after = last.current?.base === base ? last.current.after : base.nextAfter;
      const onConnection = (isOpen: boolean): void => void (signal.aborted || setConnected(isOpen));
      for await (const event of events.followEvents({ ...filtersIn(key), after, signal, onConnection })) {
        if (signal.aborted) return;
        last.current = { base, after: event.cursor };
        add(event);
      }
    };
    follow().catch((failure: unknown) => void (signal.aborted || setError(failure)));
    return () => {
      stop.abort();
      setConnected(false);
      setError(undefined);
    };
  }, [events, key, base, isVisible]);
  return { live: found?.base === base ? (found?.items ?? none) : none, isConnected, error };
}

const filtersIn = (key: string) => JSON.parse(key) as EventFilters;
