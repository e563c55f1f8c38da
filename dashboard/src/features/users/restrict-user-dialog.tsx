import { callOfUserUpdate, type User, type UserChanges } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { PreviewNote } from '../../components/changes/preview-note.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';

type Props = { isOpen: boolean; onClose: () => void; user: User; update: (changes: UserChanges) => Promise<void> };
type Values = { reason: string; privateDetails: string };

/** Restricts a user, or changes the texts of the restriction. */
export function RestrictUserDialog({ isOpen, onClose, user, update }: Props) {
  return (
    <FormDialog
      opened={isOpen}
      onClose={onClose}
      title={user.restrictedByAdmin ? t`Edit restriction` : t`Restrict user`}
    >
      <RestrictUserForm onClose={onClose} user={user} update={update} />
    </FormDialog>
  );
}

function RestrictUserForm({ onClose, user, update }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({
    initialValues: {
      reason: user.restrictedByAdminReason ?? '',
      privateDetails: user.restrictedByAdminPrivateDetails ?? '',
    },
  });
  const action = useAction((values: Values) => update(restrictionOf(values)));
  return (
    <DialogForm
      form={form}
      action={action}
      submitLabel={user.restrictedByAdmin ? t`Save` : t`Restrict user`}
      color={user.restrictedByAdmin ? undefined : 'red'}
      onDone={onClose}
      onClose={onClose}
    >
      {!user.restrictedByAdmin && (
        <Text size="sm">
          <Trans>
            Signs the user out of all sessions immediately. The user cannot sign in, and their API keys do not work,
            until you lift the restriction.
          </Trans>
        </Text>
      )}
      <TextInput
        label={t`Reason`}
        description={t`Shown to the user when they sign in`}
        maxLength={1000}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('reason')}
      />
      <Textarea
        label={t`Private details`}
        description={t`Only shown here and to your servers`}
        maxLength={10_000}
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps('privateDetails')}
      />
      {!user.restrictedByAdmin && <PreviewNote call={callOfUserUpdate(user.id, restrictionOf(form.values))} />}
    </DialogForm>
  );
}

const restrictionOf = ({ reason, privateDetails }: Values): UserChanges => ({
  restrictedByAdmin: true,
  restrictedByAdminReason: reason.trim() || null,
  restrictedByAdminPrivateDetails: privateDetails.trim() || null,
});
