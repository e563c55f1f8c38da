import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogForm } from '../../components/dialog-form.tsx';
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
  const action = useAction(({ value, usedForAuth }: Values) => add({ value: value.trim(), usedForAuth }));
  return (
    <DialogForm form={form} action={action} submitLabel={t`Add email`} onDone={onClose} onClose={onClose}>
      <TextInput label={t`Email`} type="email" data-autofocus {...form.getInputProps('value')} />
      <Checkbox label={t`Use for sign-in`} {...form.getInputProps('usedForAuth', { type: 'checkbox' })} />
    </DialogForm>
  );
}
