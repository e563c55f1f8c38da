import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { required } from '../lib/required.ts';
import { DialogForm } from './dialog-form.tsx';
import { FormDialog } from './form-dialog.tsx';

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
    <FormDialog opened={isOpen} onClose={onClose} title={title}>
      <NameForm onClose={onClose} {...form} />
    </FormDialog>
  );
}

function NameForm({
  onClose,
  confirmLabel,
  placeholder,
  initialName = '',
  onConfirm,
}: Omit<Props, 'isOpen' | 'title'>) {
  const form = useForm({ initialValues: { name: initialName }, validate: { name: required(t`Enter a name`) } });
  const action = useAction(({ name }: { name: string }) => onConfirm(name.trim()));
  return (
    <DialogForm form={form} action={action} submitLabel={confirmLabel} onDone={onClose} onClose={onClose}>
      <TextInput label={t`Name`} data-autofocus {...(placeholder && { placeholder })} {...form.getInputProps('name')} />
    </DialogForm>
  );
}
