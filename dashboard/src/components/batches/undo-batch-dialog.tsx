import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useBatches } from '../../lib/batches.ts';
import { ErrorNote, RowsLoading } from '../states.tsx';
import { describeBatch } from './batch.ts';
import { BatchDialogEnd } from './batch-dialog-end.tsx';
import { BatchPreview } from './batch-preview.tsx';

type Props = { isOpen: boolean; batchId: string; onClose: () => void };

/** Shows what the undo of a batch does, and starts it. */
export function UndoBatchDialog({ isOpen, ...form }: Props) {
  return (
    <Modal opened={isOpen} onClose={form.onClose} title={t`Undo this batch?`}>
      <UndoBatchForm {...form} />
    </Modal>
  );
}

function UndoBatchForm({ batchId, onClose }: Omit<Props, 'isOpen'>) {
  const batches = useBatches();
  const [openedAt] = useState(() => Date.now());
  const { value: preview, error } = useResource(['batch-undo-preview', batchId, String(openedAt)], async () =>
    batches ? batches.previewUndo(batchId) : null,
  );
  const run = useAction(async () => {
    await batches?.undo(batchId);
    onClose();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run.run();
  };
  const isPossible = preview != null && (preview.changed > 0 || preview.previewed < preview.count);
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">
          <Trans>
            Undoes the change to each user. Users who have changed since then stay as they are and are listed at the
            end.
          </Trans>
        </Text>
        {error !== undefined && <ErrorNote error={error} />}
        {!preview && error === undefined && <RowsLoading rows={2} label={t`Loading preview`} />}
        {preview && <BatchPreview preview={preview} />}
        <BatchDialogEnd
          submitLabel={preview ? describeBatch({ type: 'undo' }, preview.count) : t`Undo`}
          isReady={isPossible}
          action={run}
          onClose={onClose}
        />
      </Stack>
    </form>
  );
}
