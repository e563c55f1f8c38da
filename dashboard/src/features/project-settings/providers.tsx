import { callOfProjectUpdate, type MergeStrategy, type OAuthProvider, type ProjectConfig } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Rows } from '../../components/rows.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { methodName } from '../../lib/sign-in-methods.ts';
import { ProviderDialog } from './provider-dialog.tsx';
import { ProviderRow } from './provider-row.tsx';

type Changes = Partial<Pick<ProjectConfig, 'oauthProviders' | 'oauthAccountMergeStrategy'>>;
type Props = { config: ProjectConfig; apiUrl: string; save: (config: Changes) => Promise<void> };

type Strategy = { label: string; description: string };
const mergeStrategies: Readonly<Record<MergeStrategy, Strategy>> = {
  link_method: {
    label: 'Link to the existing account',
    description:
      'The user signs in to the existing account, and the provider is added to it. Both the provider and Gatebook must have verified the email; otherwise, sign-in is rejected.',
  },
  raise_error: {
    label: 'Reject sign-in',
    description:
      'The user is told that an account with this email exists, and can connect the provider in the account settings.',
  },
  allow_duplicates: {
    label: 'Create a separate account',
    description: 'Both accounts have the email. Email codes and passwords still sign in to the first one.',
  },
};
const strategies = Object.keys(mergeStrategies) as MergeStrategy[];

/** The OAuth providers of a project and how accounts with the same email are merged. */
export function Providers({ config, apiUrl, save }: Props) {
  const { oauthProviders: providers, oauthAccountMergeStrategy } = config;
  const [edited, setEdited] = useState<OAuthProvider | 'new' | null>(null);
  const [removing, setRemoving] = useState<OAuthProvider | null>(null);
  const merge = useAction((strategy: MergeStrategy) => save({ oauthAccountMergeStrategy: strategy }));
  const others = (id: string) => providers.filter((provider) => provider.id !== id);
  const list = { value: providers, error: undefined, isFetching: false, refresh: async () => {} };
  return (
    <>
      <Rows list={list} label="Loading providers" empty="No providers yet.">
        {(provider) => (
          <ProviderRow
            key={provider.id}
            name={methodName(provider.id)}
            note={provider.type === 'shared' ? 'Shared test keys (development only)' : provider.clientId}
            onEdit={() => setEdited(provider)}
            onRemove={() => setRemoving(provider)}
          />
        )}
      </Rows>
      <Writing>
        <Stack gap="md" p="lg">
          <Group>
            <Button variant="default" onClick={() => setEdited('new')}>
              Add provider
            </Button>
          </Group>
          <NativeSelect
            label="If the email is already in use"
            description={mergeStrategies[oauthAccountMergeStrategy].description}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data={strategies.map((value) => ({ value, label: mergeStrategies[value].label }))}
            value={oauthAccountMergeStrategy}
            disabled={merge.isRunning}
            onChange={(event) => void merge.run(event.currentTarget.value as MergeStrategy)}
            maw="30rem"
          />
          {merge.error !== undefined && <ErrorNote error={merge.error} />}
          <Text size="sm" c="dimmed">
            If you remove a provider, accounts stay connected to it and work again once you add it back.
          </Text>
        </Stack>
      </Writing>
      <ProviderDialog
        edited={edited}
        taken={providers.map(({ id }) => id)}
        apiUrl={apiUrl}
        onClose={() => setEdited(null)}
        save={(provider) => save({ oauthProviders: [...others(provider.id), provider] })}
      />
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title="Remove this provider?"
        confirmLabel="Remove provider"
        call={removing ? callOfProjectUpdate({ config: { oauthProviders: others(removing.id) } }) : undefined}
        onConfirm={async () => {
          if (removing) await save({ oauthProviders: others(removing.id) });
        }}
      >
        Users can no longer sign in with {removing && methodName(removing.id)}.
      </ConfirmDialog>
    </>
  );
}
