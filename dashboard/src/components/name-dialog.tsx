import { requiredFault } from '@gatebook/js/core';
import { useAction } from '@gatebook/react';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ErrorNote } from './states.tsx';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  confirmLabel: string;
  placeholder?: string;
  initialName?: string;
  /** The dialog closes when this succeeds. */
  onConfirm: (name: string) => Promise<unknown>;
};

/** A dialog with a single name field. */
export function NameDialog({ isOpen, onClose, title, ...form }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <NameForm onClose={onClose} {...form} />
    </Modal>
  );
}

function NameForm({
  onClose,
  confirmLabel,
  placeholder,
  initialName = '',
  onConfirm,
}: Omit<Props, 'isOpen' | 'title'>) {
  const form = useForm({ initialValues: { name: initialName }, validate: { name: requiredFault('a name') } });
  const action = useAction(({ name }: { name: string }) => onConfirm(name.trim()));
  const submit = async (values: { name: string }): Promise<void> => {
    if (await action.run(values)) onClose();
  };
  return (
    <form onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <TextInput label="Name" data-autofocus {...(placeholder && { placeholder })} {...form.getInputProps('name')} />
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={action.isRunning}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
