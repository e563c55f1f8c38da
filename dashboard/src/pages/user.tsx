import { Needs } from '../components/writing.tsx';
import { UserPage } from '../features/users/user-page.tsx';
import { useParam } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function UserRoute() {
  const { admin, project } = useProject();
  const { users, sessions, audit, contactChannels, teams, permissions, explanations, apiKeys, projectId } = admin;
  const userId = useParam('userId');
  return (
    <Needs least="support">
      <UserPage
        key={userId}
        users={users}
        sessions={sessions}
        audit={audit}
        channels={contactChannels}
        teams={teams}
        permissions={permissions}
        explanations={explanations}
        apiKeys={apiKeys}
        project={project.value}
        projectId={projectId}
        userId={userId}
      />
    </Needs>
  );
}
