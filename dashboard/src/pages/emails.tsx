import { EmailsPage } from '../features/emails/emails-page.tsx';
import { useProject } from './use-project.ts';

export default function EmailsRoute() {
  const { admin, project } = useProject();
  return <EmailsPage key={admin.projectId} emails={admin.emails} projectId={admin.projectId} project={project} />;
}
