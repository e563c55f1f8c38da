import { readLanguage } from '../features/emails/languages.ts';
import { TemplatePage } from '../features/emails/template-page.tsx';
import { useParam, useSearchText } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function EmailTemplateRoute() {
  const type = useParam('emailType');
  const language = readLanguage(useSearchText().language);
  const { admin, project } = useProject();
  return (
    <TemplatePage
      key={`${admin.projectId} ${type}`}
      emails={admin.emails}
      audit={admin.audit}
      projectId={admin.projectId}
      projectName={project.value?.displayName}
      type={type}
      language={language}
    />
  );
}
