import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogButtons } from '../../components/dialog-buttons.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { emailFault } from '../../lib/library-texts.ts';

type Values = { value: string; usedForAuth: boolean };
type Props = { isOpen: boolean; onClose: () => void; add: (input: Values) => Promise<void> };

export function AddChannelDialog({ isOpen, ...form }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={form.onClose} title={t`Add email`}>
      <AddForm {...form} />
    </FormDialog>
  );
}

function AddForm({ onClose, add }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({ initialValues: { value: '', usedForAuth: false }, validate: { value: emailFault } });
  const action = useAction(async ({ value, usedForAuth }: Values) => {
    await add({ value: value.trim(), usedForAuth });
    onClose();
  });
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))} noValidate>
      <Stack gap="md">
        <TextInput label={t`Email`} type="email" data-autofocus {...form.getInputProps('value')} />
        <Checkbox label={t`Use for sign-in`} {...form.getInputProps('usedForAuth', { type: 'checkbox' })} />
        <DialogButtons action={action} submitLabel={t`Add email`} onClose={onClose} />
      </Stack>
    </form>
  );
}
