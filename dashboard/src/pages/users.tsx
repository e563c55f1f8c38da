import { Needs } from '../components/writing.tsx';
import { UsersPage } from '../features/users/users-page.tsx';
import { readUsersSearch } from '../features/users/users-search.ts';
import { useSearchText } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function UsersRoute() {
  const { admin, project } = useProject();
  const search = useSearchText();
  return (
    <Needs least="support">
      <UsersPage
        users={admin.users}
        teams={admin.teams}
        audit={admin.audit}
        permissions={admin.permissions}
        projectId={admin.projectId}
        openIdProviders={admin.openIdProviders}
        project={project.value}
        search={readUsersSearch(search)}
        opensForm={search.new === '1'}
      />
    </Needs>
  );
}
