import type { ProjectClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
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
        <Trans>
          When somebody signs in with an address that has no password here, your former system is asked whether the
          password is right. If it is, the user gets an account with this password.
        </Trans>
      </Text>
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} isRetrying={isFetching} />}
      {value === undefined && error === undefined && <BlockLoading height={80} label={t`Loading password migration`} />}
      {value && value.url === null && <UrlForm start={set} />}
      {value && value.url !== null && <Running url={value.url} secret={value.secret ?? ''} set={set} />}
    </Stack>
  );
}

function UrlForm({ start }: { start: (url: string) => Promise<void> }) {
  const [url, setUrl] = useState('');
  const [isMissing, setMissing] = useState(false);
  const action = useAction(start);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setMissing(url.trim() === '');
    if (url.trim() !== '') void action.run(url.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t`URL that checks passwords`}
          description={t`An https URL of your former system. Requests are signed like webhooks.`}
          placeholder="https://former.example.com/check-password"
          autoComplete="off"
          value={url}
          error={isMissing && t`Enter the URL`}
          onChange={({ currentTarget }) => {
            setUrl(currentTarget.value);
            setMissing(false);
          }}
        />
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <Group>
          <Button type="submit" loading={action.isRunning}>
            <Trans>Start migration</Trans>
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
      <CopyField label={t`URL that checks passwords`} value={url} />
      <CopyField label={t`Signing secret`} value={secret} />
      <Group>
        <Button variant="default" onClick={() => setRotating(true)}>
          <Trans>Replace secret</Trans>
        </Button>
        <Button variant="outline" color="red" onClick={() => setEnding(true)}>
          <Trans>End migration</Trans>
        </Button>
      </Group>
      <ConfirmDialog
        isOpen={isRotating}
        onClose={() => setRotating(false)}
        title={t`Replace the signing secret?`}
        confirmLabel={t`Replace secret`}
        call={{ method: 'PUT', path: '/internal/projects/current/password-migration', body: { url } }}
        onConfirm={() => set(url)}
      >
        <Trans>
          Requests are signed with the new secret at once. Your former system must know it before users can migrate.
        </Trans>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        title={t`End the migration?`}
        confirmLabel={t`End migration`}
        call={{ method: 'PUT', path: '/internal/projects/current/password-migration', body: { url: null } }}
        onConfirm={() => set(null)}
      >
        <Trans>Users who have not signed in yet need “Forgot password” to set a password.</Trans>
      </ConfirmDialog>
    </>
  );
}
