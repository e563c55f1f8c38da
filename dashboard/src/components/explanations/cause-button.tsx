import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { lateDialog } from '../late-dialog.tsx';
import type { CauseProps } from './cause-dialog.tsx';

const CauseDialog = lateDialog(async () => (await import('./cause-dialog.tsx')).CauseDialog);

/** Explains why something is so: the event that made it so, who did it, and what led to it. */
export function CauseButton(props: CauseProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="compact-sm" variant="subtle" aria-label={props.question} onClick={() => setOpen(true)}>
        <Trans>Why?</Trans>
      </Button>
      <CauseDialog isOpen={isOpen} onClose={() => setOpen(false)} {...props} />
    </>
  );
}
