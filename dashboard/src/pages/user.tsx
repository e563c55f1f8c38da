import { UserPage } from '../features/users/user-page.tsx';
import { useApp } from '../lib/app.ts';
import { useParam } from './parameters.ts';

export default function UserRoute() {
  const { client } = useApp();
  const { users, sessions, history, projectId } = client.admin(useParam('projectId'));
  const userId = useParam('userId');
  return (
    <UserPage key={userId} users={users} sessions={sessions} history={history} projectId={projectId} userId={userId} />
  );
}
