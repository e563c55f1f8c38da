import { PermissionsPage } from '../features/permissions/permissions-page.tsx';
import { useProject } from './use-project.ts';

export default function PermissionsRoute() {
  const { admin, project } = useProject();
  return (
    <PermissionsPage
      permissions={admin.permissions}
      audit={admin.audit}
      client={admin.project}
      projectId={admin.projectId}
      project={project}
    />
  );
}
