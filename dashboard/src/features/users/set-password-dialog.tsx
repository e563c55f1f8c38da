import { callOfUserUpdate } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { PreviewNote } from '../../components/changes/preview-note.tsx';
import { DialogButtons } from '../../components/dialog-buttons.tsx';
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
  const action = useAction(async ({ password }: { password: string }) => {
    await setPassword(password);
    onClose();
  });
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))}>
      <Stack gap="md">
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
        <DialogButtons action={action} submitLabel={t`Set password`} onClose={onClose} />
      </Stack>
    </form>
  );
}
