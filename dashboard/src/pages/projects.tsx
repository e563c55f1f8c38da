import { ProjectsPage } from '../features/projects/projects-page.tsx';
import { readProjectsSearch } from '../features/projects/projects-search.ts';
import { useApp } from '../lib/app.ts';
import { useNavigation } from '../lib/navigation.ts';
import { useSearchText } from './parameters.ts';

export default function ProjectsRoute() {
  const { client } = useApp();
  const { go } = useNavigation();
  return (
    <ProjectsPage
      projects={client.projects}
      search={readProjectsSearch(useSearchText())}
      onCreated={({ id }) => go(`/projects/${id}/get-started`)}
    />
  );
}
