import type { HolderCount } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { lateDialog } from '../../components/late-dialog.tsx';
import { describeCount } from './holder-count.ts';
import type { HoldersProps } from './holders-dialog.tsx';

const HoldersDialog = lateDialog(async () => (await import('./holders-dialog.tsx')).HoldersDialog);

/** `count`: undefined while loading. */
type ButtonProps = HoldersProps & { count: HolderCount | undefined };

/** How many have a permission, and a button that opens the list of them. */
export function HoldersButton({ count, ...props }: ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { scope, id } = props;
  return (
    <>
      {count && (
        <Text size="sm" c="dimmed">
          {describeCount(scope, count)}
        </Text>
      )}
      <Button size="compact-sm" variant="subtle" aria-label={t`Show holders of ${id}`} onClick={() => setOpen(true)}>
        <Trans>Show holders</Trans>
      </Button>
      <HoldersDialog isOpen={isOpen} onClose={() => setOpen(false)} {...props} />
    </>
  );
}
