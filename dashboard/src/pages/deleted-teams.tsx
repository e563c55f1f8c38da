import { DeletedTeamsPage } from '../features/teams/deleted-teams-page.tsx';
import { useProject } from './use-project.ts';

export default function DeletedTeamsRoute() {
  const { admin, project } = useProject();
  return <DeletedTeamsPage teams={admin.teams} projectId={admin.projectId} projectName={project.value?.displayName} />;
}
