import { OverviewPage } from '../features/metrics/overview-page.tsx';
import { useApp } from '../lib/app.ts';
import { useProject } from './use-project.ts';

export default function OverviewRoute() {
  const { config } = useApp();
  const { admin, project } = useProject();
  return (
    <OverviewPage
      metrics={admin.metrics}
      client={admin.project}
      project={project}
      projectId={admin.projectId}
      apiUrl={config.apiUrl}
    />
  );
}
