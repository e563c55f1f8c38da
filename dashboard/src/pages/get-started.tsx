import { StartPage } from '../features/start/start-page.tsx';
import { useApp } from '../lib/app.ts';
import { useProject } from './use-project.ts';

export default function GetStartedRoute() {
  const { config } = useApp();
  const { admin, project } = useProject();
  return (
    <StartPage
      client={admin.project}
      keys={admin.keys}
      events={admin.events}
      project={project}
      projectId={admin.projectId}
      apiUrl={config.apiUrl}
      version={config.version}
    />
  );
}
