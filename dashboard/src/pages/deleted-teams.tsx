import { Needs } from '../components/writing.tsx';
import { DeletedTeamsPage } from '../features/teams/deleted-teams-page.tsx';
import { useProject } from './use-project.ts';

export default function DeletedTeamsRoute() {
  const { admin, project } = useProject();
  return (
    <Needs least="support">
      <DeletedTeamsPage teams={admin.teams} projectId={admin.projectId} projectName={project.value?.displayName} />
    </Needs>
  );
}
