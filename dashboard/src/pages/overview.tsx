import { OverviewPage } from '../features/metrics/overview-page.tsx';
import { readOverviewSearch } from '../features/metrics/overview-search.ts';
import { useApp } from '../lib/app.ts';
import { useSearchText } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function OverviewRoute() {
  const { config } = useApp();
  const { admin, project } = useProject();
  return (
    <OverviewPage
      metrics={admin.metrics}
      events={admin.events}
      client={admin.project}
      project={project}
      projectId={admin.projectId}
      apiUrl={config.apiUrl}
      search={readOverviewSearch(useSearchText())}
    />
  );
}
