import type { AuditClient, AuditEventPage, AuditFilters } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { useCallback, useState } from 'react';
import { usePolling } from '../../lib/use-polling.ts';
import { appendPage, countNewer } from './audit-pages.ts';

const PAGE_SIZE = 50;
const POLL_MS = 5_000;

/**
 * Events that match the filters, newest first. New ones are counted but not inserted, so that rows stay where they are
 * until `showNewer`.
 */
export function useAuditList(audit: AuditClient, projectId: string, filters: AuditFilters) {
  const key = JSON.stringify(filters);
  const newest = useResource(['audit', projectId, key], () => audit.list({ ...filters, limit: PAGE_SIZE }));
  const [loaded, setLoaded] = useState<{ key: string; page: AuditEventPage } | null>(null);
  const [newer, setNewer] = useState<{ key: string; page: AuditEventPage } | null>(null);
  const shown = loaded?.key === key ? loaded.page : newest.value;
  const older = useAction(async (above: AuditEventPage) => {
    const page = await audit.list({ ...filters, limit: PAGE_SIZE, cursor: above.nextCursor });
    setLoaded({ key, page: appendPage(above, page) });
  });
  const poll = useCallback(async () => {
    // A failed look at news shows nothing; the next one tries again.
    const page = await audit.list({ ...(JSON.parse(key) as AuditFilters), limit: PAGE_SIZE }).catch(() => null);
    if (page) setNewer({ key, page });
  }, [audit, key]);
  const isLive = usePolling(poll, POLL_MS);
  const showNewer = async (): Promise<void> => {
    setLoaded(null);
    setNewer(null);
    await newest.refresh();
  };
  return {
    shown,
    error: newest.error,
    isFetching: newest.isFetching,
    refresh: newest.refresh,
    isLive,
    newerCount: shown && newer?.key === key ? countNewer(shown, newer.page) : 0,
    showNewer,
    older: {
      isRunning: older.isRunning,
      error: older.error,
      load: shown && shown.nextCursor !== null ? () => void older.run(shown) : null,
    },
  };
}
