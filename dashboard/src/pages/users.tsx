import { UsersPage } from '../features/users/users-page.tsx';
import { readUsersSearch } from '../features/users/users-search.ts';
import { useSearchText } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function UsersRoute() {
  const { admin, project } = useProject();
  return (
    <UsersPage
      users={admin.users}
      projectId={admin.projectId}
      projectName={project.value?.displayName}
      search={readUsersSearch(useSearchText())}
    />
  );
}
