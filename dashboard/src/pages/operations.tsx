import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NoPermissionPage } from '../components/no-permission-page.tsx';
import { Page } from '../components/page.tsx';
import { BlockLoading } from '../components/states.tsx';
import { OperationsPage } from '../features/operations/operations-page.tsx';
import { useApp } from '../lib/app.ts';
import { useOperates } from '../lib/operators.ts';
import { useTitle } from '../lib/use-title.ts';

export default function OperationsRoute() {
  useTitle(t`Operations`);
  const { client } = useApp();
  const operates = useOperates(client);
  if (operates.value === undefined && operates.error === undefined) {
    return (
      <Page title={t`Operations`}>
        <BlockLoading height={320} label={t`Loading operations status`} />
      </Page>
    );
  }
  if (operates.value === false) {
    return (
      <NoPermissionPage title={t`Operations`}>
        <Trans>Owners of the project “internal” operate this server. Ask one of them.</Trans>
      </NoPermissionPage>
    );
  }
  return <OperationsPage operations={client.operations} />;
}
