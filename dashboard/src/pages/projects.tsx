import { ProjectsPage } from '../features/projects/projects-page.tsx';
import { useApp } from '../lib/app.ts';
import { useNavigation } from '../lib/navigation.ts';
import { useSearchText } from './parameters.ts';

export default function ProjectsRoute() {
  const { client } = useApp();
  const { go } = useNavigation();
  return (
    <ProjectsPage
      projects={client.projects}
      isCreating={useSearchText().new === '1'}
      onCreating={(isCreating) => go(isCreating ? '/projects?new=1' : '/projects', { replace: true })}
      onCreated={({ id }) => go(`/projects/${id}/get-started`)}
    />
  );
}
