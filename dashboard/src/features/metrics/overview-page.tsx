import type { CustomMetricsClient, Metrics, MetricsClient, Project, ProjectKeysClient } from '@gatebook/js/admin';
import type { EventMethods } from '@gatebook/js/events';
import { type Resource, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import type { FeedClient } from '../../components/events/use-event-feed.ts';
import { Later } from '../../components/later.tsx';
import { Page } from '../../components/page.tsx';
import { SetupHint } from '../../components/setup-checklist.tsx';
import { BlockLoading, Card, EmptyNote, ErrorNote } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { CountriesCard } from './countries-card.tsx';
import { ExpiringKeys } from './expiring-keys.tsx';
import { Figures } from './figures.tsx';
import { FunnelCard } from './funnel-card.tsx';
import { LatestSignUps } from './latest-sign-ups.tsx';
import { LiveActivity } from './live-activity.tsx';
import { MeasureCard, useEarlyMeasures } from './measure-card.tsx';
import { Origins } from './origins.tsx';
import { OverviewControls } from './overview-controls.tsx';
import classes from './overview-page.module.css';
import type { OverviewSearch } from './overview-search.ts';
import { RetentionCard } from './retention-card.tsx';

const CustomMetricsSection = lazy(() => import('./custom-metrics-section.tsx'));

type OverviewPageProps = {
  metrics: MetricsClient;
  customMetrics: CustomMetricsClient;
  events: FeedClient & Pick<EventMethods, 'listEventTypes'>;
  keys: Pick<ProjectKeysClient, 'list'>;
  project: Resource<Project>;
  projectId: string;
  search: OverviewSearch;
};

export function OverviewPage({ metrics, customMetrics, events, keys, project, projectId, search }: OverviewPageProps) {
  const found = useResource(['metrics', projectId], metrics.find);
  const expiring = useResource(['keys', projectId], keys.list);
  useEarlyMeasures({ metrics, projectId, search, measures: ['sign_ups', 'active_users', 'sign_ins'] });
  // All at once: what comes later would move the rest.
  const isLoading = [found, project, expiring].some(({ value, error }) => value === undefined && error === undefined);
  const name = project.value?.displayName || projectId;
  useTitle(t`Overview`, project.value && name);
  return (
    <Page
      title={project.value ? name : t`Overview`}
      lead={(!isLoading && project.value?.description) || undefined}
      actions={
        project.value?.isProductionMode && (
          <Badge variant="light">
            <Trans>Production mode</Trans>
          </Badge>
        )
      }
    >
      {found.error !== undefined && (
        <ErrorNote
          title={t`The metrics could not be loaded`}
          error={found.error}
          onRetry={found.refresh}
          isRetrying={found.isFetching}
        />
      )}
      {isLoading && <OverviewLoading />}
      {!isLoading && <ExpiringKeys keys={keys} projectId={projectId} />}
      {!isLoading && project.value && <SetupHint project={project.value} />}
      {!isLoading && found.value?.totalUsers === 0 && (
        <Card flush>
          <EmptyNote
            icon={<IconUsers size={22} aria-hidden />}
            title={t`No users yet`}
            action={
              <LinkButton href={`/projects/${projectId}/get-started`}>
                <Trans>Get started</Trans>
              </LinkButton>
            }
          >
            <Trans>Connect your app. Figures appear here with the first sign-up.</Trans>
          </EmptyNote>
        </Card>
      )}
      {!isLoading && found.value && found.value.totalUsers > 0 && (
        <Overview value={found.value} {...{ metrics, customMetrics, events, projectId, search }} />
      )}
    </Page>
  );
}

type OverviewProps = Pick<OverviewPageProps, 'metrics' | 'customMetrics' | 'events' | 'projectId' | 'search'> & {
  value: Metrics;
};

function Overview(props: OverviewProps) {
  const { value, metrics, projectId, search } = props;
  return (
    <>
      <Figures metrics={value} projectId={projectId} />
      <OverviewControls projectId={projectId} search={search} />
      <MeasureCard {...{ metrics, projectId, search }} measure="sign_ups" />
      <Later height={300}>
        <MoreCards {...props} />
      </Later>
    </>
  );
}

function MoreCards({ value, metrics, customMetrics, events, projectId, search }: OverviewProps) {
  const card = { metrics, projectId, search };
  return (
    <>
      <div className={classes.halves}>
        <MeasureCard {...card} measure="active_users" isLower />
        <MeasureCard {...card} measure="sign_ins" isLower />
      </div>
      <Later height={600}>
        <CountriesCard metrics={value} projectId={projectId} />
        <Origins {...card} value={value} />
        <div className={classes.charts}>
          <RetentionCard metrics={metrics} projectId={projectId} />
          <FunnelCard metrics={metrics} projectId={projectId} range={search.range} />
        </div>
        <div className={classes.halves}>
          <LatestSignUps users={value.recentlyRegistered} projectId={projectId} />
          <LiveActivity events={events} projectId={projectId} />
        </div>
        <Suspense fallback={<BlockLoading height={120} label={t`Loading custom metrics`} />}>
          <CustomMetricsSection client={customMetrics} events={events} projectId={projectId} />
        </Suspense>
      </Later>
    </>
  );
}

function OverviewLoading() {
  return (
    <>
      <BlockLoading height={104} label={t`Loading metrics`} />
      <div className={classes.charts}>
        <BlockLoading height={300} label={t`Loading charts`} />
        <BlockLoading height={300} label={t`Loading charts`} />
      </div>
    </>
  );
}
