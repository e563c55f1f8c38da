import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { lateDialog } from '../late-dialog.tsx';
import type { WhyProps } from './why-dialog.tsx';

const WhyDialog = lateDialog(async () => (await import('./why-dialog.tsx')).WhyDialog);

/** Explains why a user has a permission, or what is missing. */
export function WhyButton(props: WhyProps) {
  const [isOpen, setOpen] = useState(false);
  const { permissionId } = props;
  return (
    <>
      <Button size="compact-sm" variant="subtle" aria-label={t`Why ${permissionId}?`} onClick={() => setOpen(true)}>
        <Trans>Why?</Trans>
      </Button>
      <WhyDialog isOpen={isOpen} onClose={() => setOpen(false)} {...props} />
    </>
  );
}
