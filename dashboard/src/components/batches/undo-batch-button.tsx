import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useBatches } from '../../lib/batches.ts';
import { lateDialog } from '../late-dialog.tsx';
import { Writing } from '../writing.tsx';

export const UndoBatchDialog = lateDialog(async () => (await import('./undo-batch-dialog.tsx')).UndoBatchDialog);

/** Opens the dialog that undoes a batch. */
export function OpenUndoButton({ onClick }: { onClick: () => void }) {
  return (
    <Writing needs="support">
      <Button size="xs" variant="default" onClick={onClick}>
        <Trans>Undo</Trans>
      </Button>
    </Writing>
  );
}

/** Undoes a batch after a preview. Nothing outside a project. */
export function UndoBatchButton({ batchId }: { batchId: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!useBatches()) return null;
  return (
    <>
      <OpenUndoButton onClick={() => setOpen(true)} />
      <UndoBatchDialog isOpen={isOpen} batchId={batchId} onClose={() => setOpen(false)} />
    </>
  );
}
