import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { lateDialog } from '../../components/late-dialog.tsx';
import type { ExportProps } from './export-dialog.tsx';

const ExportDialog = lateDialog(async () => (await import('./export-dialog.tsx')).ExportDialog);

/** Downloads the events that match the filters. */
export function ExportButton(props: ExportProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={() => setOpen(true)}>
        <Trans>Export</Trans>
      </Button>
      <ExportDialog isOpen={isOpen} onClose={() => setOpen(false)} {...props} />
    </>
  );
}
