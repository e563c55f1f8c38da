import { Button, Group, Modal, Stack, Text } from '@mantine/core';

type Props = { isOpen: boolean; onStay: () => void; onLeave: () => void };

export default function LeaveDialog({ isOpen, onStay, onLeave }: Props) {
  return (
    <Modal opened={isOpen} onClose={onStay} title="Leave without saving?">
      <Stack gap="md">
        <Text size="sm">Your unsaved changes will be lost.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onStay} data-autofocus>
            Stay on this page
          </Button>
          <Button color="red" onClick={onLeave}>
            Discard and leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
