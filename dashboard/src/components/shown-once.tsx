import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = {
  /** That the values have to be copied now. */
  note: string;
  onClose: () => void;
  children: ReactNode;
};

/** The contents of a dialog with secrets that are shown once. */
export function ShownOnce({ note, onClose, children }: Props) {
  return (
    <Stack gap="md">
      <Text size="sm">{note}</Text>
      {children}
      <Group justify="flex-end">
        <Button onClick={onClose}>
          <Trans>Done, I’ve saved it</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
