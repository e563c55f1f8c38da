import type { ProjectRole } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { emailFault } from '../../lib/library-texts.ts';
import { roleOptions } from './names.ts';

type Props = {
  isOpen: boolean;
  projectId: string;
  onClose: () => void;
  invite: (email: string, role: ProjectRole) => Promise<void>;
};

export function InviteDialog({ isOpen, ...form }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={form.onClose} title={t`Invite member`}>
      <InviteForm {...form} />
    </FormDialog>
  );
}

function InviteForm({ projectId, onClose, invite }: Omit<Props, 'isOpen'>) {
  const form = useForm<{ email: string; role: ProjectRole }>({
    initialValues: { email: '', role: 'developer' },
    validate: { email: emailFault },
  });
  const action = useAction(({ email, role }: { email: string; role: ProjectRole }) => invite(email.trim(), role));
  return (
    <DialogForm form={form} action={action} submitLabel={t`Send invitation`} onDone={onClose} onClose={onClose}>
      <TextInput label={t`Email`} type="email" data-autofocus {...form.getInputProps('email')} />
      <Select label={t`Role`} data={roleOptions(projectId)} allowDeselect={false} {...form.getInputProps('role')} />
    </DialogForm>
  );
}
