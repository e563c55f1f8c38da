import { readEventSearch } from '../components/events/event-search.ts';
import { EventsPage } from '../features/events/events-page.tsx';
import { useApp } from '../lib/app.ts';
import { useSearchText } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function EventsRoute() {
  const { config } = useApp();
  const { admin, project } = useProject();
  return (
    <EventsPage
      events={admin.events}
      projectId={admin.projectId}
      projectName={project.value?.displayName}
      apiUrl={config.apiUrl}
      search={readEventSearch(useSearchText())}
    />
  );
}
