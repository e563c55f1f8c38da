import type { OpenIdProvidersClient, ProjectClient, StoredOpenIdProvider } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Rows } from '../../components/rows.tsx';
import { ProviderRow } from './provider-row.tsx';

const OpenIdProviderDialog = lateDialog(
  async () => (await import('./openid-provider-dialog.tsx')).OpenIdProviderDialog,
  ({ edited }) => edited !== null,
);

type Props = {
  testProvider: ProjectClient['testProvider'];
  client: OpenIdProvidersClient;
  projectId: string;
  apiUrl: string;
};

/** Providers that were added by their issuer. */
export function OpenIdProviders({ testProvider, client, projectId, apiUrl }: Props) {
  const list = useResource(['openid-providers', projectId], client.list);
  const [edited, setEdited] = useState<StoredOpenIdProvider | 'new' | null>(null);
  const [removing, setRemoving] = useState<StoredOpenIdProvider | null>(null);
  return (
    <>
      <Rows list={list} label={t`Loading OpenID Connect providers`} empty={t`No OpenID Connect providers yet.`}>
        {(provider) => (
          <ProviderRow
            key={provider.id}
            name={provider.displayName}
            note={`${provider.id} · ${provider.issuer}`}
            onEdit={() => setEdited(provider)}
            onRemove={() => setRemoving(provider)}
          />
        )}
      </Rows>
      <Stack gap="md" p="lg" pt={list.value?.length === 0 ? 0 : 'lg'}>
        <Group>
          <Button variant="default" onClick={() => setEdited('new')}>
            <Trans>Add OpenID Connect provider</Trans>
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          <Trans>
            Any provider that supports OpenID Connect Discovery, such as Okta, Auth0, Keycloak or Microsoft Entra ID.
          </Trans>
        </Text>
      </Stack>
      <OpenIdProviderDialog
        edited={edited}
        taken={list.value?.map(({ id }) => id) ?? []}
        apiUrl={apiUrl}
        onClose={() => setEdited(null)}
        testIssuer={client.testIssuer}
        testProvider={testProvider}
        save={async (provider) => {
          await client.set(provider);
          await list.refresh();
        }}
      />
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={t`Remove this provider?`}
        confirmLabel={t`Remove provider`}
        call={
          removing
            ? { method: 'DELETE', path: `/internal/projects/current/openid-providers/${removing.id}` }
            : undefined
        }
        onConfirm={async () => {
          if (removing) await client.remove(removing.id);
          await list.refresh();
        }}
      >
        <Trans>
          Users can no longer sign in with {removing?.displayName}. Accounts stay connected, and work again once you add
          a provider with the ID {removing?.id}.
        </Trans>
      </ConfirmDialog>
    </>
  );
}
