import { OverviewPage } from '../features/metrics/overview-page.tsx';
import { readOverviewSearch } from '../features/metrics/overview-search.ts';
import { useSearchText } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function OverviewRoute() {
  const { admin, project } = useProject();
  return (
    <OverviewPage
      metrics={admin.metrics}
      customMetrics={admin.customMetrics}
      events={admin.events}
      keys={admin.keys}
      project={project}
      projectId={admin.projectId}
      search={readOverviewSearch(useSearchText())}
    />
  );
}
