import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { useBatches } from '../../lib/batches.ts';
import { ErrorNote } from '../states.tsx';

type Props = {
  /** `Restrict 12 users`. */
  label: string;
  isDangerous?: boolean;
  /** Whether everything is filled in and previewed. */
  isReady: boolean;
  isStarting: boolean;
  error: unknown;
  onClose: () => void;
};

/** The end of a form that starts a batch, unless another one is running. */
export function BatchDialogEnd({ label, isDangerous = false, isReady, isStarting, error, onClose }: Props) {
  const isBusy = useBatches()?.isBusy;
  return (
    <>
      {isBusy && (
        <Text size="sm">
          <Trans>Another batch of this project has to end first.</Trans>
        </Text>
      )}
      {error !== undefined && <ErrorNote error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          type="submit"
          color={isDangerous ? 'red' : undefined}
          loading={isStarting}
          disabled={!isReady || isBusy !== false}
        >
          {label}
        </Button>
      </Group>
    </>
  );
}
