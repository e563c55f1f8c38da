import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { required } from '../../lib/required.ts';

type Values = { displayName: string; description: string };
type Props = { isOpen: boolean; onClose: () => void; create: (input: Values) => Promise<void> };

export function CreateProjectDialog({ isOpen, onClose, create }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={onClose} title={t`Create project`}>
      <CreateProjectForm onClose={onClose} create={create} />
    </FormDialog>
  );
}

function CreateProjectForm({ onClose, create }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({
    initialValues: { displayName: '', description: '' },
    validate: { displayName: required(t`Enter a name`) },
  });
  const action = useAction((values: Values) =>
    create({ displayName: values.displayName.trim(), description: values.description.trim() }),
  );
  return (
    <DialogForm form={form} action={action} submitLabel={t`Create project`} onClose={onClose}>
      <TextInput label={t`Name`} placeholder={t`Acme Shop`} data-autofocus {...form.getInputProps('displayName')} />
      <Textarea label={t`Description`} autosize minRows={2} maxRows={6} {...form.getInputProps('description')} />
    </DialogForm>
  );
}
