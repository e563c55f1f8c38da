import { Needs } from '../components/writing.tsx';
import { TeamsPage } from '../features/teams/teams-page.tsx';
import { useProject } from './use-project.ts';

export default function TeamsRoute() {
  const { admin, project } = useProject();
  return (
    <Needs least="support">
      <TeamsPage teams={admin.teams} projectId={admin.projectId} projectName={project.value?.displayName} />
    </Needs>
  );
}
