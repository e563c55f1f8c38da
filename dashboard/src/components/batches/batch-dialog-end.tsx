import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useBatches } from '../../lib/batches.ts';
import { DialogButtons } from '../dialog-buttons.tsx';

type Props = Pick<ComponentProps<typeof DialogButtons>, 'action' | 'submitLabel' | 'color' | 'onClose'> & {
  /** Whether everything is filled in and previewed. */
  isReady: boolean;
};

/** The end of a form that starts a batch, unless another one is running. */
export function BatchDialogEnd({ isReady, ...buttons }: Props) {
  const isBusy = useBatches()?.isBusy;
  return (
    <>
      {isBusy && (
        <Text size="sm">
          <Trans>Another batch of this project has to end first.</Trans>
        </Text>
      )}
      <DialogButtons {...buttons} isDisabled={!isReady || isBusy !== false} />
    </>
  );
}
