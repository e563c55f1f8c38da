import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useBatches } from '../../lib/batches.ts';
import { lateDialog } from '../late-dialog.tsx';
import { Writing } from '../writing.tsx';

const UndoBatchDialog = lateDialog(async () => (await import('./undo-batch-dialog.tsx')).UndoBatchDialog);

/** Undoes a batch after a preview. Nothing outside a project. */
export function UndoBatchButton({ batchId }: { batchId: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!useBatches()) return null;
  return (
    <>
      <Writing needs="support">
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          <Trans>Undo</Trans>
        </Button>
      </Writing>
      <UndoBatchDialog isOpen={isOpen} batchId={batchId} onClose={() => setOpen(false)} />
    </>
  );
}
