import type { HandoverRole, ProjectMember, ProjectMembersClient } from '@gatebook/js/admin';
import { emailFault } from '@gatebook/js/core';
import { useAction, useResourceCache } from '@gatebook/react';
import { Button, List, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { DialogButtons } from '../../components/dialog-buttons.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Card } from '../../components/states.tsx';
import { Needs, Writing } from '../../components/writing.tsx';
import { plural } from '../../lib/format.ts';
import { handoverOptions, roleAfter } from './names.ts';

type Props = {
  members: Pick<ProjectMembersClient, 'transfer'>;
  projectId: string;
  list: readonly ProjectMember[];
  ownId: string | null;
};

/** Hands the project over to another person, who is invited by email. */
export function TransferCard({ members, projectId, list, ownId }: Props) {
  const [isOpen, setOpen] = useState(false);
  const cache = useResourceCache();
  if (projectId === 'internal') return null;
  const isThroughTeam = list.find(({ userId }) => userId === ownId)?.isThroughTeam ?? false;
  return (
    <Needs least="owner">
      <Card title="Transfer project" labelId="transfer-title">
        <Stack gap="md" align="flex-start">
          <Text size="sm">
            {isThroughTeam
              ? 'A team owns this project. Change the members of that team instead.'
              : 'Hand the project over to another person, who becomes an owner in your place.'}
          </Text>
          {!isThroughTeam && (
            <Writing needs="owner">
              <Button variant="default" onClick={() => setOpen(true)}>
                Transfer project
              </Button>
            </Writing>
          )}
        </Stack>
      </Card>
      <FormDialog opened={isOpen} onClose={() => setOpen(false)} title="Transfer project">
        <TransferForm
          others={list.filter(({ userId }) => userId !== ownId).length}
          onClose={() => setOpen(false)}
          transfer={async (email, role) => {
            await members.transfer(email, role);
            await cache.invalidate(['project-invitations', projectId]);
          }}
        />
      </FormDialog>
    </Needs>
  );
}

type Values = { email: string; role: HandoverRole };
type FormProps = {
  /** Number of members besides the signed-in owner. */
  others: number;
  onClose: () => void;
  transfer: (email: string, role: HandoverRole) => Promise<void>;
};

function TransferForm({ others, onClose, transfer }: FormProps) {
  const form = useForm<Values>({ initialValues: { email: '', role: 'none' }, validate: { email: emailFault } });
  const action = useAction(async ({ email, role }: Values) => {
    await transfer(email.trim(), role);
    onClose();
  });
  const { email, role } = form.values;
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))} noValidate>
      <Stack gap="md">
        <TextInput label="Email of the new owner" type="email" data-autofocus {...form.getInputProps('email')} />
        <Select label="You afterwards" data={handoverOptions} allowDeselect={false} {...form.getInputProps('role')} />
        <section aria-labelledby="transfer-preview">
          <Text id="transfer-preview" size="sm" fw={600}>
            What will happen
          </Text>
          <List size="sm" aria-labelledby="transfer-preview">
            <List.Item>{email.trim() || 'The new owner'} gets an email with a link that is valid for 7 days.</List.Item>
            <List.Item>Nothing changes until the link is accepted. You can revoke it under Invitations.</List.Item>
            <List.Item>Then the person becomes an owner, and {roleAfter('you', role)}.</List.Item>
            {others > 0 && (
              <List.Item>
                {plural(others, 'other member keeps their role', 'other members keep their roles')}.
              </List.Item>
            )}
            <List.Item>Users, keys and settings of the project stay as they are.</List.Item>
          </List>
        </section>
        <DialogButtons action={action} submitLabel="Send transfer" onClose={onClose} />
      </Stack>
    </form>
  );
}
