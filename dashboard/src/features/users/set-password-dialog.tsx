import { callOfUserUpdate } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { PreviewNote } from '../../components/changes/preview-note.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { newPasswordFault } from '../../lib/library-texts.ts';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  userId: string;
  hasPassword: boolean;
  setPassword: (password: string) => Promise<void>;
};

export function SetPasswordDialog({ isOpen, onClose, ...form }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={onClose} title={t`Set password`}>
      <SetPasswordForm onClose={onClose} {...form} />
    </FormDialog>
  );
}

/** Every password has the same effects, and the same ETag: the preview does not need the typed one. */
const previewedPassword = 'a password that is only previewed';

function SetPasswordForm({ onClose, userId, hasPassword, setPassword }: Omit<Props, 'isOpen'>) {
  const form = useForm({ initialValues: { password: '' }, validate: { password: newPasswordFault } });
  const call = callOfUserUpdate(userId, { password: previewedPassword });
  const action = useAction(({ password }: { password: string }) => setPassword(password));
  return (
    <DialogForm form={form} action={action} submitLabel={t`Set password`} onDone={onClose} onClose={onClose}>
      <Text size="sm">
        <Trans>
          {hasPassword ? t`The old password stops working. ` : ''}
          This signs the user out of all sessions.
        </Trans>
      </Text>
      <PasswordInput
        label={t`New password`}
        description={t`8 to 70 characters`}
        autoComplete="new-password"
        data-autofocus
        {...form.getInputProps('password')}
      />
      <PreviewNote call={call} />
    </DialogForm>
  );
}
