import { useResourceCache } from '@gatebook/react';
import { Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useChanges } from '../../lib/changes.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Writing } from '../writing.tsx';
import classes from './changes.module.css';

type UndoButtonProps = { actionId: string; undo: { state: string; reasons: readonly string[] } };

/** Undoes an action after a preview, or says why it cannot be undone. */
export function UndoButton({ actionId, undo: { state, reasons } }: UndoButtonProps) {
  const changes = useChanges();
  const cache = useResourceCache();
  const [isOpen, setOpen] = useState(false);
  if (!changes) return null;
  if (state !== 'possible' && state !== 'partial') {
    return <p className={classes.reason}>{[stateTexts[state] ?? state, ...reasons].join(' ')}</p>;
  }
  return (
    <>
      <Writing needs="support">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          Undo
        </Button>
      </Writing>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Undo this action?"
        confirmLabel="Undo"
        color="verdigris"
        call={{ method: 'POST', path: `/internal/actions/${actionId}/undo`, body: {} }}
        onConfirm={async () => {
          await changes.undo(actionId);
          await cache.invalidate([]);
        }}
      >
        All changes of the request are undone together. {reasons.join(' ')}
      </ConfirmDialog>
    </>
  );
}

const stateTexts: Readonly<Record<string, string>> = {
  undone: 'This action has been undone.',
  conflict: 'Cannot be undone, because a later action changed the same values.',
  not_reversible: 'Cannot be undone.',
};
