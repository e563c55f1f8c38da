import { TeamsPage } from '../features/teams/teams-page.tsx';
import { useProject } from './use-project.ts';

export default function TeamsRoute() {
  const { admin, project } = useProject();
  return <TeamsPage teams={admin.teams} projectId={admin.projectId} projectName={project.value?.displayName} />;
}
