import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { LeaveQuestion } from './lib/unsaved.ts';

type Props = { question: LeaveQuestion; isOpen: boolean; onStay: () => void; onLeave: () => void };

export default function LeaveDialog({ question, isOpen, onStay, onLeave }: Props) {
  return (
    <Modal opened={isOpen} onClose={onStay} title={question.title}>
      <Stack gap="md">
        <Text size="sm">{question.text}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onStay} data-autofocus>
            <Trans>Stay on this page</Trans>
          </Button>
          <Button color="red" onClick={onLeave}>
            {question.leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
