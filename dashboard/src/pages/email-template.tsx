import { TemplatePage } from '../features/emails/template-page.tsx';
import { useParam } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function EmailTemplateRoute() {
  const type = useParam('emailType');
  const { admin, project } = useProject();
  return (
    <TemplatePage
      key={`${admin.projectId} ${type}`}
      emails={admin.emails}
      audit={admin.audit}
      projectId={admin.projectId}
      projectName={project.value?.displayName}
      type={type}
    />
  );
}
