import { Needs } from '../components/writing.tsx';
import { TeamPage } from '../features/teams/team-page.tsx';
import { useParam } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function TeamRoute() {
  const { admin, project } = useProject();
  const { teams, users, permissions, explanations, audit, apiKeys, projectId } = admin;
  const teamId = useParam('teamId');
  return (
    <Needs least="support">
      <TeamPage
        key={teamId}
        teams={teams}
        users={users}
        permissions={permissions}
        explanations={explanations}
        audit={audit}
        apiKeys={apiKeys}
        projectId={projectId}
        teamId={teamId}
        config={project.value?.config}
      />
    </Needs>
  );
}
