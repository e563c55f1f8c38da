import type { AuditClient, NewProjectKey, ProjectKey, ProjectKeysClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { SettingsFrame } from '../../components/settings-frame.tsx';
import { Card, EmptyNote, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { useMoment } from '../../lib/moment.ts';
import { KeyList } from './key-list.tsx';

const CreateKeyDialog = lateDialog(async () => (await import('./create-key-dialog.tsx')).CreateKeyDialog);
const RotateKeyDialog = lateDialog(
  async () => (await import('./rotate-key-dialog.tsx')).RotateKeyDialog,
  ({ rotated }) => rotated !== null,
);
const NewKeyDialog = lateDialog(
  async () => (await import('./new-key-dialog.tsx')).NewKeyDialog,
  ({ created }) => created !== null,
);

type Props = {
  keys: ProjectKeysClient;
  audit: AuditClient;
  projectId: string;
  projectName: string | undefined;
  apiUrl: string;
  /** Opens the dialog immediately. */
  startsCreating?: boolean;
};

export function ProjectKeysPage({ keys, audit, projectId, projectName, apiUrl, startsCreating = false }: Props) {
  const list = useResource(['keys', projectId], keys.list);
  const { value: moment } = useMoment();
  const [isCreating, setCreating] = useState(startsCreating);
  const [created, setCreated] = useState<NewProjectKey | null>(null);
  const [revoking, setRevoking] = useState<ProjectKey | null>(null);
  const [rotating, setRotating] = useState<ProjectKey | null>(null);
  const newButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      <Trans>Create key</Trans>
    </Button>
  );
  return (
    <SettingsFrame
      path="/settings/keys"
      projectId={projectId}
      projectName={projectName}
      lead={t`Your app and your servers use these keys to access this project.`}
      actions={newButton}
    >
      {list.error !== undefined && (
        <ErrorNote
          title={t`The keys could not be loaded`}
          error={list.error}
          onRetry={list.refresh}
          isRetrying={list.isFetching}
        />
      )}
      {(list.value !== undefined || list.error === undefined) && (
        <Card flush>
          {list.value === undefined && <RowsLoading rows={3} label={t`Loading keys`} />}
          {list.value?.length === 0 && (
            <EmptyNote
              icon={<IconKey size={22} aria-hidden />}
              title={moment === null ? t`No keys yet` : t`No keys at this time`}
              action={moment === null && <Writing>{newButton}</Writing>}
            >
              {moment === null && (
                <Trans>
                  Your app needs a publishable client key and your servers need a secret server key. You can create both
                  at once.
                </Trans>
              )}
            </EmptyNote>
          )}
          {list.value && list.value.length > 0 && (
            <KeyList
              keys={list.value}
              audit={audit}
              projectId={projectId}
              onRotate={setRotating}
              onRevoke={setRevoking}
            />
          )}
        </Card>
      )}
      <CreateKeyDialog
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        create={async (input) => {
          setCreated(await keys.create(input));
          await list.refresh();
        }}
      />
      <RotateKeyDialog
        rotated={rotating}
        onClose={() => setRotating(null)}
        rotate={async (keyId, input) => {
          setCreated(await keys.rotate(keyId, input));
          await list.refresh();
        }}
      />
      <NewKeyDialog created={created} projectId={projectId} apiUrl={apiUrl} onClose={() => setCreated(null)} />
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title={t`Revoke this key?`}
        confirmLabel={t`Revoke key`}
        call={
          revoking ? { method: 'PATCH', path: `/internal/api-keys/${revoking.id}`, body: { revoked: true } } : undefined
        }
        onConfirm={async () => {
          if (revoking) await keys.revoke(revoking.id);
          await list.refresh();
        }}
      >
        <Trans>
          Requests that use “{revoking?.description || t`this key`}” are rejected immediately. This cannot be undone.
        </Trans>
      </ConfirmDialog>
    </SettingsFrame>
  );
}
