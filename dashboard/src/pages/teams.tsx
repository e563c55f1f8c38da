import { Needs } from '../components/writing.tsx';
import { TeamsPage } from '../features/teams/teams-page.tsx';
import { readTeamsSearch } from '../features/teams/teams-search.ts';
import { useSearchText } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function TeamsRoute() {
  const { admin, project } = useProject();
  const search = readTeamsSearch(useSearchText());
  return (
    <Needs least="support">
      <TeamsPage
        teams={admin.teams}
        projectId={admin.projectId}
        projectName={project.value?.displayName}
        search={search}
      />
    </Needs>
  );
}
