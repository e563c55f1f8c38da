import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';

type Props = { isRunning: boolean; isDirty: boolean; isSaved: boolean };

/** Submit button that is enabled while there are unsaved changes and confirms when they are saved. */
export function SaveButton({ isRunning, isDirty, isSaved }: Props) {
  return (
    <>
      <Button type="submit" loading={isRunning} disabled={!isDirty}>
        <Trans>Save</Trans>
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {isSaved && !isDirty ? t`Saved` : ''}
      </Text>
    </>
  );
}
