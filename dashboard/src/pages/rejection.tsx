import { RejectionPage } from '../features/rejections/rejection-page.tsx';
import { useParam } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function RejectionRoute() {
  const { admin, project } = useProject();
  return (
    <RejectionPage
      explanations={admin.explanations}
      projectId={admin.projectId}
      projectName={project.value?.displayName}
      requestId={useParam('requestId')}
    />
  );
}
