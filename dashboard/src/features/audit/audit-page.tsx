import type { AuditClient } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, VisuallyHidden } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useMemo } from 'react';
import { AppLink, PlainLink } from '../../components/app-link.tsx';
import classes from '../../components/audit/audit.module.css';
import { AuditList } from '../../components/audit/audit-list.tsx';
import {
  type AuditSearch,
  auditFields,
  auditHref,
  auditTabs,
  changeOf,
  filtersOf,
  rejectionHref,
} from '../../components/audit/audit-search.ts';
import { Page } from '../../components/page.tsx';
import { SavedViews } from '../../components/saved-views/saved-views.tsx';
import { Card, EmptyNote } from '../../components/states.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { useTitle } from '../../lib/use-title.ts';
import { UtcContext } from '../../lib/zone.ts';
import { AuditFilterBar } from './audit-filters.tsx';
import { AuditTimeline } from './audit-timeline.tsx';
import { ExportButton } from './export-button.tsx';
import { tabNames } from './filter-texts.ts';

const DAY_MS = 86_400_000;
/** What the timeline shows of an unlimited range. */
const USUAL_DAYS = 30;

type AuditPageProps = {
  audit: AuditClient;
  projectId: string;
  projectName: string | undefined;
  search: AuditSearch;
};

/** Everything that happened in a project. */
export function AuditPage({ audit, projectId, projectName, search }: AuditPageProps) {
  useTitle(t`Audit log`, projectName);
  const { go } = useNavigation();
  const show = (change: Partial<AuditSearch>, options?: { replace?: boolean }): void =>
    go(auditHref(projectId, { ...search, event: undefined, ...change }), options);
  const { from, until } = search;
  // Fixed while the page shows one range, so that list and timeline are not loaded again at each render.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range begins at another moment
  const now = useMemo(() => Date.now(), [from, until]);
  const filters = filtersOf(search, now);
  const { fromMillis, untilMillis = now, ...others } = filters;
  const range = { fromMillis: fromMillis ?? untilMillis - USUAL_DAYS * DAY_MS, untilMillis };
  return (
    <UtcContext value={search.zone !== undefined}>
      <Page
        title={t`Audit log`}
        lead={t`Every change, who made it, and what it was before.`}
        tools={
          <>
            <SavedViews
              list="audit"
              projectId={projectId}
              href={auditHref(projectId, { ...search, event: undefined })}
              example={t`Failed sign-ins`}
            />
            <ExportButton audit={audit} projectId={projectId} search={search} />
          </>
        }
      >
        <nav aria-label={t`Parts of the audit log`} className={classes.tabs}>
          {auditTabs.map((tab) => (
            <PlainLink
              key={tab}
              href={auditHref(projectId, { ...search, event: undefined, kind: undefined, tab })}
              {...(search.tab === tab && { 'aria-current': 'page' })}
            >
              {tabNames[tab]}
            </PlainLink>
          ))}
        </nav>
        <AuditFilterBar audit={audit} projectId={projectId} search={search} onChange={show} />
        <Card>
          <AuditTimeline
            audit={audit}
            projectId={projectId}
            filters={others}
            range={range}
            onRange={(chosen) => show(chosen)}
          />
        </Card>
        <Card flush>
          <VisuallyHidden component="h2">
            <Trans>Events</Trans>
          </VisuallyHidden>
          <AuditList
            audit={audit}
            projectId={projectId}
            filters={filters}
            openId={search.event}
            onOpen={(event) => show({ event }, { replace: true })}
            onFilter={(filter, isExcluded) => show(changeOf(search, filter, isExcluded))}
            empty={<NoEvents projectId={projectId} search={search} onClear={() => go(auditHref(projectId, {}))} />}
          />
        </Card>
      </Page>
    </UtcContext>
  );
}

type NoEventsProps = { projectId: string; search: AuditSearch; onClear: () => void };

function NoEvents({ projectId, search, onClear }: NoEventsProps) {
  const isFiltered = search.tab !== 'all' || auditFields.some((field) => search[field] !== undefined);
  return (
    <EmptyNote
      icon={<IconHistory size={22} aria-hidden />}
      title={isFiltered ? t`No events match these filters` : t`No events yet`}
      action={
        isFiltered && (
          <Button variant="default" onClick={onClear}>
            <Trans>Show all events</Trans>
          </Button>
        )
      }
    >
      {isFiltered ? t`Remove a filter, or choose a longer time.` : t`Events appear here as your project is used.`}
      {search.action !== undefined && (
        <>
          {' '}
          <AppLink href={rejectionHref(projectId, search.action)}>
            <Trans>Was this request rejected?</Trans>
          </AppLink>
        </>
      )}
    </EmptyNote>
  );
}
