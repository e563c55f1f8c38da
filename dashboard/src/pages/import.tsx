import { ImportPage } from '../features/import/import-page.tsx';
import { useProject } from './use-project.ts';

export default function ImportRoute() {
  const { admin, project } = useProject();
  return <ImportPage imports={admin.imports} projectId={admin.projectId} projectName={project.value?.displayName} />;
}
