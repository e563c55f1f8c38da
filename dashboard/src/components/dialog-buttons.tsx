import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { useSubmitting } from './form-dialog-state.ts';
import { ErrorNote } from './states.tsx';

type Props = {
  /** What the form does when it is submitted. */
  action: { isRunning: boolean; error: unknown };
  submitLabel: string;
  color?: string | undefined;
  isDisabled?: boolean;
  onClose: () => void;
};

/** The end of a form in a dialog: why it failed, and its buttons. */
export function DialogButtons({ action, submitLabel, color, isDisabled = false, onClose }: Props) {
  useSubmitting(action.isRunning);
  return (
    <>
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" color={color} loading={action.isRunning} disabled={isDisabled}>
          {submitLabel}
        </Button>
      </Group>
    </>
  );
}
