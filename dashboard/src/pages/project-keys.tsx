import { ProjectKeysPage } from '../features/project-keys/project-keys-page.tsx';
import { useApp } from '../lib/app.ts';
import { useSearchText } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function ProjectKeysRoute() {
  const { config } = useApp();
  const { admin, project } = useProject();
  const startsCreating = useSearchText().new === '1';
  return (
    <ProjectKeysPage
      keys={admin.keys}
      audit={admin.audit}
      projectId={admin.projectId}
      projectName={project.value?.displayName}
      apiUrl={config.apiUrl}
      startsCreating={startsCreating}
    />
  );
}
