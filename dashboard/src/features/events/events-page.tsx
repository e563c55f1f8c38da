import type { EventMethods } from '@gatebook/js/events';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { PlainLink } from '../../components/app-link.tsx';
import audit from '../../components/audit/audit.module.css';
import { EventCatalog } from '../../components/events/event-catalog.tsx';
import { type EventSearch, type EventTab, eventsHref, eventTabs } from '../../components/events/event-search.ts';
import { Page } from '../../components/page.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { useTitle } from '../../lib/use-title.ts';
import { EventFeed } from './event-feed.tsx';
import { EventFilterBar } from './event-filters.tsx';

const tabNames: Readonly<Record<EventTab, string>> = { feed: t`Feed`, types: t`Types` };

type EventsPageProps = {
  events: EventMethods;
  projectId: string;
  projectName: string | undefined;
  apiUrl: string;
  search: EventSearch;
};

/** Public events: what other systems are told. */
export function EventsPage({ events, projectId, projectName, apiUrl, search }: EventsPageProps) {
  useTitle(t`Events`, projectName);
  const { go } = useNavigation();
  const types = useResource(['event-types'], events.listEventTypes);
  const show = (change: Partial<EventSearch>, options?: { replace?: boolean }): void =>
    go(eventsHref(projectId, { ...search, event: undefined, ...change }), options);
  return (
    <Page title={t`Events`} lead={t`What happens in this project, as other systems read it.`}>
      <nav aria-label={t`Parts of events`} className={audit.tabs}>
        {eventTabs.map((tab) => (
          <PlainLink
            key={tab}
            href={eventsHref(projectId, { ...search, event: undefined, tab })}
            {...(search.tab === tab && { 'aria-current': 'page' })}
          >
            {tabNames[tab]}
          </PlainLink>
        ))}
      </nav>
      {search.tab === 'feed' ? (
        <>
          <EventFilterBar types={types.value ?? []} search={search} onChange={show} />
          <EventFeed
            events={events}
            projectId={projectId}
            apiUrl={apiUrl}
            search={search}
            onOpen={(event) => show({ event }, { replace: true })}
            onFilter={show}
          />
        </>
      ) : (
        <>
          {types.error !== undefined && <ErrorNote error={types.error} onRetry={types.refresh} />}
          {types.value && <EventCatalog types={types.value} projectId={projectId} />}
          {types.value === undefined && types.error === undefined && (
            <BlockLoading height={320} label={t`Loading types`} />
          )}
        </>
      )}
    </Page>
  );
}
