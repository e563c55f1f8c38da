import { useLocation } from '@tanstack/react-router';
import { ProjectSettingsPage } from '../features/project-settings/project-settings-page.tsx';
import { useApp } from '../lib/app.ts';
import { useProject } from './use-project.ts';

/** Also served at `/domains`, where production-mode issues link to. */
export default function ProjectSettingsRoute() {
  const startsAtDomains = useLocation({ select: ({ pathname }) => pathname.endsWith('/domains') });
  const { config } = useApp();
  const { admin, project } = useProject();
  return (
    <ProjectSettingsPage
      key={admin.projectId}
      client={admin.project}
      audit={admin.audit}
      openIdProviders={admin.openIdProviders}
      project={project}
      apiUrl={config.apiUrl}
      startsAtDomains={startsAtDomains}
    />
  );
}
