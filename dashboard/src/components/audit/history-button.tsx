import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { lateDialog } from '../late-dialog.tsx';
import type { HistoryProps } from './history-dialog.tsx';

const HistoryDialog = lateDialog(async () => (await import('./history-dialog.tsx')).HistoryDialog);

/** The history of something without a page. */
export function HistoryButton(props: HistoryProps) {
  const [isOpen, setOpen] = useState(false);
  const { name } = props;
  return (
    <>
      <Button size="compact-sm" variant="subtle" aria-label={t`History of ${name}`} onClick={() => setOpen(true)}>
        <Trans>History</Trans>
      </Button>
      <HistoryDialog isOpen={isOpen} onClose={() => setOpen(false)} {...props} />
    </>
  );
}
