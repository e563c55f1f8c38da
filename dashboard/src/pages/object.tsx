import { t } from '@lingui/core/macro';
import { isObjectType } from '../components/audit/target-pages.ts';
import { Page } from '../components/page.tsx';
import { ObjectPage } from '../features/objects/object-page.tsx';
import { useApp } from '../lib/app.ts';
import { useParam } from './parameters.ts';
import { useProject } from './use-project.ts';

export default function ObjectRoute() {
  const { client } = useApp();
  const { admin, project } = useProject();
  const [type, id] = [useParam('objectType'), useParam('objectId')];
  if (!isObjectType(type)) return <Page title={t`Page not found`}>{null}</Page>;
  return (
    <ObjectPage
      key={`${type} ${id}`}
      audit={admin.audit}
      projectId={admin.projectId}
      projectName={project.value?.displayName}
      object={{ type, id }}
      at={(moment) => client.admin(admin.projectId, moment)}
    />
  );
}
