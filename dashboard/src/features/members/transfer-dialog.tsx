import type { HandoverRole } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { List, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { AppLink } from '../../components/app-link.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { emailFault } from '../../lib/library-texts.ts';
import { handoverOptions, roleAfter } from './names.ts';

type Values = { email: string; role: HandoverRole };
type Props = {
  isOpen: boolean;
  projectId: string;
  /** Number of members besides the signed-in owner. */
  others: number;
  onClose: () => void;
  transfer: (email: string, role: HandoverRole) => Promise<void>;
};

export function TransferDialog({ isOpen, ...form }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={form.onClose} title={t`Transfer project`}>
      <TransferForm {...form} />
    </FormDialog>
  );
}

function TransferForm({ projectId, others, onClose, transfer }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({ initialValues: { email: '', role: 'none' }, validate: { email: emailFault } });
  const action = useAction(({ email, role }: Values) => transfer(email.trim(), role));
  const { email, role } = form.values;
  return (
    <DialogForm form={form} action={action} submitLabel={t`Send transfer`} onDone={onClose} onClose={onClose}>
      <TextInput label={t`Email of the new owner`} type="email" data-autofocus {...form.getInputProps('email')} />
      <Select label={t`You afterwards`} data={handoverOptions} allowDeselect={false} {...form.getInputProps('role')} />
      <section aria-labelledby="transfer-preview">
        <Text id="transfer-preview" size="sm" fw={600}>
          <Trans>What will happen</Trans>
        </Text>
        <List size="sm" aria-labelledby="transfer-preview">
          <List.Item>
            <Trans>{email.trim() || t`The new owner`} gets an email with a link that is valid for 7 days.</Trans>
          </List.Item>
          <List.Item>
            <Trans>Nothing changes until the link is accepted. You can revoke it under Invitations.</Trans>
          </List.Item>
          <List.Item>
            <Trans>Then the person becomes an owner, and {roleAfter.sender(role)}.</Trans>
          </List.Item>
          {others > 0 && (
            <List.Item>
              {plural(others, { one: '# other member keeps their role', other: '# other members keep their roles' })}.
            </List.Item>
          )}
          <List.Item>
            <Trans>Users and settings of the project stay as they are.</Trans>
          </List.Item>
          <List.Item>
            <Trans>
              Project keys stay valid, also for people who have copied one. To end that,{' '}
              <AppLink href={`/projects/${projectId}/settings/keys`}>create new keys and revoke these</AppLink>.
            </Trans>
          </List.Item>
        </List>
      </section>
    </DialogForm>
  );
}
