import { DeletedProjectsPage } from '../features/projects/deleted-projects-page.tsx';
import { useApp } from '../lib/app.ts';

export default function DeletedProjectsRoute() {
  const { client } = useApp();
  return (
    <DeletedProjectsPage
      client={{
        listDeleted: async () => ({ items: await client.projects.listDeleted(), nextCursor: null }),
        restore: (projectId) => client.admin(projectId).project.restore(),
        erase: (projectId) => client.admin(projectId).project.erase(),
      }}
    />
  );
}
