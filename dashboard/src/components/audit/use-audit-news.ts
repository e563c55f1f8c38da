import type { AuditClient, AuditEvent, AuditFilters } from '@gatebook/js/admin';
import { type Dispatch, type SetStateAction, useCallback, useEffect, useState } from 'react';
import { useIsVisible, usePolling } from '../../lib/use-polling.ts';

/** The newest events that match the filters, which `key` contains as JSON. */
export type AuditNews = { key: string; items: readonly AuditEvent[] };

const LOOKED_AT = 50;
/** A page that stays open for days counts no further. */
const MOST_NEWS = 1_000;
const POLL_MS = 5_000;

/** Follows new events while the page is visible: by a live stream, and by polling where there is none. */
export function useAuditNews(
  audit: AuditClient,
  key: string,
  setNews: Dispatch<SetStateAction<AuditNews | null>>,
): void {
  const [isConnected, setIsConnected] = useState(false);
  const isVisible = useIsVisible();
  const add = useCallback(
    (found: readonly AuditEvent[]) =>
      setNews((news) => {
        const ids = new Set(found.map(({ id }) => id));
        const others = news?.key === key ? news.items.filter(({ id }) => !ids.has(id)) : [];
        return { key, items: [...found, ...others].slice(0, MOST_NEWS) };
      }),
    [key, setNews],
  );
  const poll = useCallback(async () => {
    // A failed look at news shows nothing; the next one tries again.
    const page = await audit.list({ ...filtersIn(key), limit: LOOKED_AT }).catch(() => null);
    if (page) add(page.items);
  }, [audit, key, add]);
  useEffect(() => {
    if (!isVisible) return;
    const stop = new AbortController();
    const { signal } = stop;
    const onConnection = (isOpen: boolean): void => {
      if (signal.aborted) return;
      setIsConnected(isOpen);
      // What happened before the stream began.
      if (isOpen) void poll();
    };
    const follow = async (): Promise<void> => {
      for await (const event of audit.follow({ ...filtersIn(key), signal, onConnection })) {
        if (signal.aborted) return;
        add([event]);
      }
    };
    follow().catch(() => {
      if (!signal.aborted) setIsConnected(false);
    });
    return () => {
      stop.abort();
      setIsConnected(false);
    };
  }, [audit, key, isVisible, add, poll]);
  usePolling(poll, POLL_MS, !isConnected);
}

const filtersIn = (key: string) => JSON.parse(key) as AuditFilters;
