import { callOfProjectUpdate, type OAuthProvider, type ProjectClient, type ProjectConfig } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Rows } from '../../components/rows.tsx';
import { Writing } from '../../components/writing.tsx';
import { methodName } from '../../lib/sign-in-methods.ts';
import { ProviderRow } from './provider-row.tsx';

const ProviderDialog = lateDialog(
  async () => (await import('./provider-dialog.tsx')).ProviderDialog,
  ({ edited }) => edited !== null,
);

type Changes = Pick<ProjectConfig, 'oauthProviders'>;
type Props = {
  config: ProjectConfig;
  apiUrl: string;
  testProvider: ProjectClient['testProvider'];
  save: (config: Changes) => Promise<void>;
};

/** The OAuth providers of a project. */
export function Providers({ config, apiUrl, testProvider, save }: Props) {
  const { oauthProviders: providers } = config;
  const [edited, setEdited] = useState<OAuthProvider | 'new' | null>(null);
  const [removing, setRemoving] = useState<OAuthProvider | null>(null);
  const others = (id: string) => providers.filter((provider) => provider.id !== id);
  const list = { value: providers, error: undefined, isFetching: false, refresh: async () => {} };
  return (
    <>
      <Rows list={list} label={t`Loading providers`} empty={t`No providers yet.`}>
        {(provider) => (
          <ProviderRow
            key={provider.id}
            name={methodName(provider.id)}
            note={provider.type === 'shared' ? t`Shared test keys (development only)` : provider.clientId}
            onEdit={() => setEdited(provider)}
            onRemove={() => setRemoving(provider)}
          />
        )}
      </Rows>
      <Writing>
        <Stack gap="md" p="lg" pt={providers.length === 0 ? 0 : 'lg'}>
          <Group>
            <Button variant="default" onClick={() => setEdited('new')}>
              <Trans>Add provider</Trans>
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            <Trans>If you remove a provider, accounts stay connected to it and work again once you add it back.</Trans>
          </Text>
        </Stack>
      </Writing>
      <ProviderDialog
        edited={edited}
        taken={providers.map(({ id }) => id)}
        apiUrl={apiUrl}
        testProvider={testProvider}
        onClose={() => setEdited(null)}
        save={(provider) => save({ oauthProviders: [...others(provider.id), provider] })}
      />
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={t`Remove this provider?`}
        confirmLabel={t`Remove provider`}
        call={removing ? callOfProjectUpdate({ config: { oauthProviders: others(removing.id) } }) : undefined}
        onConfirm={async () => {
          if (removing) await save({ oauthProviders: others(removing.id) });
        }}
      >
        <Trans>Users can no longer sign in with {removing && methodName(removing.id)}.</Trans>
      </ConfirmDialog>
    </>
  );
}
