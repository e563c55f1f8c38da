import { ProjectSettingsPage } from '../features/project-settings/project-settings-page.tsx';
import { useProject } from './use-project.ts';

export default function ProjectSettingsRoute() {
  const { admin, project } = useProject();
  return <ProjectSettingsPage key={admin.projectId} client={admin.project} project={project} />;
}
