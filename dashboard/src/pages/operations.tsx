import { useResource } from '@gatebook/react';
import { NoPermissionPage } from '../components/no-permission-page.tsx';
import { Page } from '../components/page.tsx';
import { BlockLoading } from '../components/states.tsx';
import { OperationsPage } from '../features/operations/operations-page.tsx';
import { useApp } from '../lib/app.ts';
import { operatesServer } from '../lib/operators.ts';

export default function OperationsRoute() {
  const { client } = useApp();
  const projects = useResource(['projects'], client.projects.list);
  if (projects.value === undefined && projects.error === undefined) {
    return (
      <Page title="Operations">
        <BlockLoading height={320} label="Loading operations status" />
      </Page>
    );
  }
  if (projects.value && !operatesServer(projects.value)) {
    return (
      <NoPermissionPage title="Operations">
        Owners of the project “internal” operate this server. Ask one of them.
      </NoPermissionPage>
    );
  }
  return <OperationsPage operations={client.operations} />;
}
