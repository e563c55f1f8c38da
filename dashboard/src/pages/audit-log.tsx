import { readAuditSearch } from '../components/audit/audit-search.ts';
import { AuditPage } from '../features/audit/audit-page.tsx';
import { useSearchText } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function AuditLogRoute() {
  const { admin, project } = useProject();
  return (
    <AuditPage
      audit={admin.audit}
      projectId={admin.projectId}
      projectName={project.value?.displayName}
      search={readAuditSearch(useSearchText())}
    />
  );
}
