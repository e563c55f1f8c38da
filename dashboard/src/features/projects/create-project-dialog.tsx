import { requiredFault } from '@gatebook/js/core';
import { useAction } from '@gatebook/react';
import { Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogButtons } from '../../components/dialog-buttons.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';

type Values = { displayName: string; description: string };
type Props = { isOpen: boolean; onClose: () => void; create: (input: Values) => Promise<void> };

export function CreateProjectDialog({ isOpen, onClose, create }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={onClose} title="Create project">
      <CreateProjectForm onClose={onClose} create={create} />
    </FormDialog>
  );
}

function CreateProjectForm({ onClose, create }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({
    initialValues: { displayName: '', description: '' },
    validate: { displayName: requiredFault('a name') },
  });
  const action = useAction((values: Values) =>
    create({ displayName: values.displayName.trim(), description: values.description.trim() }),
  );
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))}>
      <Stack gap="md">
        <TextInput label="Name" placeholder="Acme Shop" data-autofocus {...form.getInputProps('displayName')} />
        <Textarea label="Description" autosize minRows={2} maxRows={6} {...form.getInputProps('description')} />
        <DialogButtons action={action} submitLabel="Create project" onClose={onClose} />
      </Stack>
    </form>
  );
}
