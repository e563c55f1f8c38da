import type { MergeStrategy, OAuthProvider, ProjectConfig } from '@gatebook/js/projects';
import { useAction } from '@gatebook/react/use-action';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { methodName } from '../../lib/sign-in-methods.ts';
import { ProviderDialog } from './provider-dialog.tsx';

type Changes = Partial<Pick<ProjectConfig, 'oauthProviders' | 'oauthAccountMergeStrategy'>>;
type Props = { config: ProjectConfig; apiUrl: string; save: (config: Changes) => Promise<void> };

type Strategy = { label: string; meaning: string };
const mergeStrategies: Readonly<Record<MergeStrategy, Strategy>> = {
  link_method: {
    label: 'Link it to that account',
    meaning:
      'They sign in to the account that is there, which keeps the provider as a further way in. Only where both sides have verified the address; else it is rejected, since whoever only claims an address must not get into its account.',
  },
  raise_error: {
    label: 'Reject',
    meaning:
      'They are told that there is an account. Signed in as before, they can link the provider in their account.',
  },
  allow_duplicates: {
    label: 'Make a second account',
    meaning: 'The new account has the address too, but codes and passwords go on signing in to the first.',
  },
};
const strategies = Object.keys(mergeStrategies) as MergeStrategy[];

/** Through whom people may sign in, and with whose keys. */
export function Providers({ config, apiUrl, save }: Props) {
  const { oauthProviders: providers, oauthAccountMergeStrategy } = config;
  const [edited, setEdited] = useState<OAuthProvider | 'new' | null>(null);
  const [removing, setRemoving] = useState<OAuthProvider | null>(null);
  const merge = useAction((strategy: MergeStrategy) => save({ oauthAccountMergeStrategy: strategy }));
  const others = (id: string) => providers.filter((provider) => provider.id !== id);
  const list = { value: providers, error: undefined, isFetching: false, refresh: async () => {} };
  return (
    <>
      <Rows list={list} label="Loading providers" empty="Nobody signs in through a provider.">
        {(provider) => (
          <Row
            key={provider.id}
            small={provider.type === 'shared' ? 'With keys of this Gatebook, for trying out' : provider.clientId}
            actions={
              <>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  onClick={() => setEdited(provider)}
                  aria-label={`Edit ${methodName(provider.id)}`}
                >
                  Edit
                </Button>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  onClick={() => setRemoving(provider)}
                  aria-label={`Remove ${methodName(provider.id)}`}
                >
                  Remove
                </Button>
              </>
            }
          >
            {methodName(provider.id)}
          </Row>
        )}
      </Rows>
      <Stack gap="md" p="lg">
        <Group>
          <Button variant="default" onClick={() => setEdited('new')}>
            Add provider
          </Button>
        </Group>
        <NativeSelect
          label="When somebody signs in with that address already"
          description={mergeStrategies[oauthAccountMergeStrategy].meaning}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={strategies.map((value) => ({ value, label: mergeStrategies[value].label }))}
          value={oauthAccountMergeStrategy}
          disabled={merge.isRunning}
          onChange={(event) => void merge.run(event.currentTarget.value as MergeStrategy)}
          maw="30rem"
        />
        {merge.error !== undefined && <ErrorNote error={merge.error} />}
        <Text size="sm" c="dimmed">
          Accounts stay linked to a provider that is removed, and work again when it comes back.
        </Text>
      </Stack>
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
        onConfirm={async () => {
          if (removing) await save({ oauthProviders: others(removing.id) });
        }}
      >
        Nobody can sign in through {removing && methodName(removing.id)} any more.
      </ConfirmDialog>
    </>
  );
}
