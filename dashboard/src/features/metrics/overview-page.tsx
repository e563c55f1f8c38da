import type { Metrics, MetricsClient, Project, ProjectClient } from '@gatebook/js/admin';
import { type Resource, useResource } from '@gatebook/react';
import { Badge } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Page } from '../../components/page.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LatestSignUps } from './latest-sign-ups.tsx';
import classes from './overview-page.module.css';
import { SignInMethods } from './sign-in-methods.tsx';

const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

type OverviewPageProps = {
  metrics: MetricsClient;
  client: Pick<ProjectClient, 'update'>;
  project: Resource<Project>;
  projectId: string;
  apiUrl: string;
};

export function OverviewPage({ metrics, client, project, projectId, apiUrl }: OverviewPageProps) {
  const found = useResource(['metrics', projectId], metrics.find);
  const name = project.value?.displayName || projectId;
  useTitle('Overview', project.value && name);
  return (
    <Page
      title={project.value ? name : 'Overview'}
      lead={project.value?.description || undefined}
      actions={project.value?.isProductionMode && <Badge variant="light">Production mode</Badge>}
    >
      {found.error !== undefined && (
        <ErrorNote
          title="The metrics could not be loaded"
          error={found.error}
          onRetry={found.refresh}
          isRetrying={found.isFetching}
        />
      )}
      {found.value === undefined && found.error === undefined && <OverviewLoading />}
      {found.value?.totalUsers === 0 && (
        <FirstSteps client={client} project={project} projectId={projectId} apiUrl={apiUrl} />
      )}
      {found.value && <Overview metrics={found.value} projectId={projectId} />}
    </Page>
  );
}

function Overview({ metrics, projectId }: { metrics: Metrics; projectId: string }) {
  const isEmpty = metrics.totalUsers === 0;
  return (
    <>
      <Figures metrics={metrics} />
      <div className={classes.charts}>
        <Card title="Sign-ups per day" labelId="sign-ups-title">
          <Suspense fallback={<BlockLoading height={220} label="Loading chart" />}>
            <DayChart kind="bars" days={metrics.dailyUsers} one="sign-up" many="sign-ups" />
          </Suspense>
        </Card>
        <Card title="Active users per day" labelId="active-title">
          <Suspense fallback={<BlockLoading height={220} label="Loading chart" />}>
            <DayChart kind="area" days={metrics.dailyActiveUsers} one="active user" many="active users" />
          </Suspense>
        </Card>
      </div>
      {!isEmpty && (
        <div className={classes.lists}>
          <LatestSignUps users={metrics.recentlyRegistered} projectId={projectId} />
          <SignInMethods methods={metrics.loginMethods} totalUsers={metrics.totalUsers} />
        </div>
      )}
    </>
  );
}

function OverviewLoading() {
  return (
    <>
      <BlockLoading height={104} label="Loading metrics" />
      <div className={classes.charts}>
        <BlockLoading height={300} label="Loading charts" />
        <BlockLoading height={300} label="Loading charts" />
      </div>
    </>
  );
}
