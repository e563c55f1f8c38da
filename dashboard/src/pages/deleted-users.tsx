import { Needs } from '../components/writing.tsx';
import { DeletedUsersPage } from '../features/users/deleted-users-page.tsx';
import { useProject } from './use-project.ts';

export default function DeletedUsersRoute() {
  const { admin, project } = useProject();
  return (
    <Needs least="support">
      <DeletedUsersPage users={admin.users} projectId={admin.projectId} projectName={project.value?.displayName} />
    </Needs>
  );
}
