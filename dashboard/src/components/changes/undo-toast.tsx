import type { ChangesClient } from '@gatebook/js/admin';
import { useAction, useResourceCache } from '@gatebook/react';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useCallback, useEffect, useState } from 'react';
import type { WriteWatch } from '../../lib/watch-writes.ts';
import { ErrorNote } from '../states.tsx';
import { Toast } from './toast.tsx';

export type UndoToastProps = { changes: ChangesClient; projectId: string; subscribe: WriteWatch['subscribe'] };
type Shown = { actionId: string; text: string };

/** Offers to undo the last write, if that is possible. */
export function UndoToast({ changes, projectId, subscribe }: UndoToastProps) {
  const cache = useResourceCache();
  const [shown, setShown] = useState<Shown | null>(null);
  const undo = useAction(async (actionId: string) => {
    await changes.undo(actionId);
    setShown(null);
    await cache.invalidate([]);
  });
  const { reset } = undo;
  const dismiss = useCallback(() => setShown(null), []);
  useEffect(() => {
    let latest: string | null = null;
    return subscribe((write) => {
      if (write.projectId !== projectId) return;
      latest = write.id;
      reset();
      setShown(null);
      // Without an answer, the audit log still offers to undo.
      void changes
        .findAction(write.id)
        .catch(() => null)
        .then((action) => {
          const event = action?.events.find(({ isTechnical }) => !isTechnical);
          const isPossible = action?.undo.state === 'possible' || action?.undo.state === 'partial';
          if (latest === write.id && event && isPossible) setShown({ actionId: write.id, text: event.text });
        });
    });
  }, [changes, projectId, subscribe, reset]);
  if (shown === null) return null;
  return (
    <Toast
      onDismiss={dismiss}
      isKept={undo.isRunning || undo.error !== undefined}
      actions={
        <Button
          size="compact-sm"
          variant="light"
          loading={undo.isRunning}
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
          onClick={() => void undo.run(shown.actionId)}
        >
          <Trans>Undo</Trans>
        </Button>
      }
      note={undo.error !== undefined && <ErrorNote error={undo.error} />}
    >
      {shown.text}
    </Toast>
  );
}
