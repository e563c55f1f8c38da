import { Button, Text } from '@mantine/core';

type Props = { isRunning: boolean; isDirty: boolean; isSaved: boolean };

/** Sends a form; works only while there is something to save, and says when it is. */
export function SaveButton({ isRunning, isDirty, isSaved }: Props) {
  return (
    <>
      <Button type="submit" loading={isRunning} disabled={!isDirty}>
        Save
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {isSaved && !isDirty ? 'Saved' : ''}
      </Text>
    </>
  );
}
