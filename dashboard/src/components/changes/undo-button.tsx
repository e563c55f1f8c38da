import { useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
          <Trans>Undo</Trans>
        </Button>
      </Writing>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t`Undo this action?`}
        confirmLabel={t`Undo`}
        color="verdigris"
        call={{ method: 'POST', path: `/internal/actions/${actionId}/undo`, body: {} }}
        onConfirm={async () => {
          await changes.undo(actionId);
          await cache.invalidate([]);
        }}
      >
        <Trans>All changes of the request are undone together. {reasons.join(' ')}</Trans>
      </ConfirmDialog>
    </>
  );
}

const stateTexts: Readonly<Record<string, string>> = {
  undone: t`This action has been undone.`,
  conflict: t`Cannot be undone, because a later action changed the same values.`,
  not_reversible: t`Cannot be undone.`,
};
