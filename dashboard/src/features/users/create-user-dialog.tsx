import type { UserChanges } from '@gatebook/js/admin';
import { isKnownError } from '@gatebook/js/errors';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { emailFault, newPasswordFault } from '../../lib/library-texts.ts';

type Values = { email: string; displayName: string; password: string; isVerified: boolean };
type Props = { isOpen: boolean; onClose: () => void; create: (input: UserChanges) => Promise<void> };

export function CreateUserDialog({ isOpen, onClose, create }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={onClose} title={t`Create user`}>
      <CreateUserForm onClose={onClose} create={create} />
    </FormDialog>
  );
}

function CreateUserForm({ onClose, create }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({
    initialValues: { email: '', displayName: '', password: '', isVerified: false },
    validate: {
      email: emailFault,
      password: (password) => (password === '' ? null : newPasswordFault(password)),
    },
  });
  const action = useAction(async (values: Values) => {
    try {
      await create(toChanges(values));
    } catch (error) {
      if (!isKnownError(error, 'USER_EMAIL_ALREADY_EXISTS')) throw error;
      form.setFieldError('email', t`Another user already signs in with this email`);
      return false;
    }
  });
  return (
    <DialogForm form={form} action={action} submitLabel={t`Create user`} onClose={onClose}>
      <TextInput label={t`Email`} type="email" autoComplete="off" data-autofocus {...form.getInputProps('email')} />
      <TextInput label={t`Name`} autoComplete="off" {...form.getInputProps('displayName')} />
      <PasswordInput
        label={t`Password`}
        description={t`Leave empty to let the user choose one later`}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <Checkbox label={t`Email verified`} {...form.getInputProps('isVerified', { type: 'checkbox' })} />
    </DialogForm>
  );
}

function toChanges({ email, displayName, password, isVerified }: Values): UserChanges {
  return {
    primaryEmail: email.trim(),
    primaryEmailAuthEnabled: true,
    primaryEmailVerified: isVerified,
    ...(displayName.trim() !== '' && { displayName: displayName.trim() }),
    ...(password !== '' && { password }),
  };
}
