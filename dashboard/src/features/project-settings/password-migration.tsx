import type { ProjectClient } from '@gatebook/js/admin';
import { requiredFault } from '@gatebook/js/core';
import { useAction, useResource } from '@gatebook/react';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';

type Client = Pick<ProjectClient, 'findPasswordMigration' | 'setPasswordMigration'>;

/** Where first passwords of unknown users are checked. */
export function PasswordMigration({ client, projectId }: { client: Client; projectId: string }) {
  const migration = useResource(['password-migration', projectId], client.findPasswordMigration);
  const { value, error, refresh, isFetching } = migration;
  const set = async (url: string | null): Promise<void> => {
    await client.setPasswordMigration(url);
    await refresh();
  };
  return (
    <Stack gap="md" maw="40rem">
      <Text size="sm" c="dimmed">
        When somebody signs in with an address that has no password here, your former system is asked whether the
        password is right. If it is, the user gets an account with this password.
      </Text>
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} isRetrying={isFetching} />}
      {value === undefined && error === undefined && <BlockLoading height={80} label="Loading password migration" />}
      {value && value.url === null && <UrlForm start={set} />}
      {value && value.url !== null && <Running url={value.url} secret={value.secret ?? ''} set={set} />}
    </Stack>
  );
}

function UrlForm({ start }: { start: (url: string) => Promise<void> }) {
  const form = useForm({ initialValues: { url: '' }, validate: { url: requiredFault('the URL') } });
  const action = useAction(({ url }: { url: string }) => start(url.trim()));
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))}>
      <Stack gap="md">
        <TextInput
          label="URL that checks passwords"
          description="An https URL of your former system. Requests are signed like webhooks."
          placeholder="https://former.example.com/check-password"
          autoComplete="off"
          {...form.getInputProps('url')}
        />
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <Group>
          <Button type="submit" loading={action.isRunning}>
            Start migration
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type RunningProps = { url: string; secret: string; set: (url: string | null) => Promise<void> };

function Running({ url, secret, set }: RunningProps) {
  const [isEnding, setEnding] = useState(false);
  const [isRotating, setRotating] = useState(false);
  return (
    <>
      <CopyField label="URL that checks passwords" value={url} />
      <CopyField label="Signing secret" value={secret} />
      <Group>
        <Button variant="default" onClick={() => setRotating(true)}>
          Replace secret
        </Button>
        <Button variant="outline" color="red" onClick={() => setEnding(true)}>
          End migration
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isRotating}
        onClose={() => setRotating(false)}
        title="Replace the signing secret?"
        confirmLabel="Replace secret"
        call={{ method: 'PUT', path: '/internal/projects/current/password-migration', body: { url } }}
        onConfirm={() => set(url)}
      >
        Requests are signed with the new secret at once. Your former system must know it before users can migrate.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        title="End the migration?"
        confirmLabel="End migration"
        call={{ method: 'PUT', path: '/internal/projects/current/password-migration', body: { url: null } }}
        onConfirm={() => set(null)}
      >
        Users who have not signed in yet need “Forgot password” to set a password.
      </ConfirmDialog>
    </>
  );
}
