import type { AuditClient, AuditEventPage, AuditFilters } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { useState } from 'react';
import { appendPage, countNewer } from './audit-pages.ts';
import { type AuditNews, useAuditNews } from './use-audit-news.ts';

const PAGE_SIZE = 50;

/** Key and fetch of the newest events that match the filters. */
export const newestEvents = (audit: AuditClient, projectId: string, filters: AuditFilters) =>
  [['audit', projectId, JSON.stringify(filters)], () => audit.list({ ...filters, limit: PAGE_SIZE })] as const;

/**
 * Events that match the filters, newest first. New ones are counted but not inserted, so that rows stay where they are
 * until `showNewer`.
 */
export function useAuditList(audit: AuditClient, projectId: string, filters: AuditFilters) {
  const key = JSON.stringify(filters);
  const newest = useResource(...newestEvents(audit, projectId, filters));
  const [loaded, setLoaded] = useState<{ key: string; page: AuditEventPage } | null>(null);
  const [newer, setNewer] = useState<AuditNews | null>(null);
  const shown = loaded?.key === key ? loaded.page : newest.value;
  const older = useAction(async (above: AuditEventPage) => {
    const page = await audit.list({ ...filters, limit: PAGE_SIZE, cursor: above.nextCursor });
    setLoaded({ key, page: appendPage(above, page) });
  });
  useAuditNews(audit, key, setNewer);
  // What is being read will be shown: after a change of the reader, it is no news.
  const isShowingNews = shown !== undefined && !newest.isFetching && newer?.key === key;
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
    newerCount: isShowingNews ? countNewer(shown, newer.items) : 0,
    showNewer,
    older: {
      isRunning: older.isRunning,
      error: older.error,
      load: shown && shown.nextCursor !== null ? () => void older.run(shown) : null,
    },
  };
}
