import type { User, UserChanges } from '@gatebook/js/admin';
import { isKnownError } from '@gatebook/js/errors';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { emailFault } from '../../lib/library-texts.ts';

type Values = {
  displayName: string;
  email: string;
  isVerified: boolean;
  canSignIn: boolean;
};
type Props = { isOpen: boolean; onClose: () => void; user: User; update: (changes: UserChanges) => Promise<void> };

export function EditUserDialog({ isOpen, onClose, user, update }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={onClose} title={t`Edit user`}>
      <EditUserForm onClose={onClose} user={user} update={update} />
    </FormDialog>
  );
}

function EditUserForm({ onClose, user: latest, update }: Omit<Props, 'isOpen'>) {
  // A change by somebody else meanwhile is not one of this form.
  const [user] = useState(latest);
  const form = useForm<Values>({
    initialValues: {
      displayName: user.displayName ?? '',
      email: user.primaryEmail ?? '',
      isVerified: user.primaryEmailVerified,
      canSignIn: user.primaryEmailAuthEnabled,
    },
    validate: {
      email: (email) => (email.trim() === '' ? null : emailFault(email)),
    },
  });
  const hasEmail = form.values.email.trim() !== '';
  const action = useAction(async (values: Values) => {
    try {
      await update(changesOf(user, values));
    } catch (error) {
      if (!isKnownError(error, 'USER_EMAIL_ALREADY_EXISTS')) throw error;
      form.setFieldError('email', t`Another user already signs in with this email`);
      return false;
    }
  });
  return (
    <DialogForm form={form} action={action} submitLabel={t`Save`} onDone={onClose} onClose={onClose}>
      <TextInput label={t`Name`} autoComplete="off" data-autofocus {...form.getInputProps('displayName')} />
      <TextInput label={t`Email`} type="email" autoComplete="off" {...form.getInputProps('email')} />
      <Checkbox
        label={t`Email verified`}
        disabled={!hasEmail}
        {...form.getInputProps('isVerified', { type: 'checkbox' })}
      />
      <Checkbox
        label={t`Can sign in with this email`}
        disabled={!hasEmail}
        {...form.getInputProps('canSignIn', { type: 'checkbox' })}
      />
    </DialogForm>
  );
}

/** Only the changed fields, so that concurrent changes to other fields are kept. */
function changesOf(user: User, values: Values): UserChanges {
  const displayName = values.displayName.trim() || null;
  const email = values.email.trim() || null;
  const isEmailNew = email !== user.primaryEmail;
  return {
    ...(displayName !== user.displayName && { displayName }),
    ...(isEmailNew && { primaryEmail: email }),
    ...(email !== null &&
      (isEmailNew || values.isVerified !== user.primaryEmailVerified) && { primaryEmailVerified: values.isVerified }),
    ...(email !== null &&
      (isEmailNew || values.canSignIn !== user.primaryEmailAuthEnabled) && {
        primaryEmailAuthEnabled: values.canSignIn,
      }),
  };
}
