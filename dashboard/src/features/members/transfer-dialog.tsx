import { callOfProjectTransfer, type HandoverRole } from '@gatebook/js/admin';
import type { OwnTeam } from '@gatebook/js/core';
import { useAction, useResource } from '@gatebook/react';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { List, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { AppLink } from '../../components/app-link.tsx';
import { OwnerPreviews, type OwnPreviews } from '../../components/changes/owner-previews.tsx';
import { PreviewNote } from '../../components/changes/preview-note.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { emailFault } from '../../lib/library-texts.ts';
import { teamName } from '../../lib/team-name.ts';
import { handoverOptions, roleAfter } from './names.ts';

/** `to`: a person, or the ID of a team. */
type Values = { to: string; email: string; role: HandoverRole };
type Props = {
  isOpen: boolean;
  projectId: string;
  /** Number of members besides the signed-in owner. */
  others: number;
  onClose: () => void;
  listTeams: () => Promise<readonly OwnTeam[]>;
  previews: OwnPreviews;
  transfer: (email: string, role: HandoverRole) => Promise<void>;
  transferToTeam: (teamId: string) => Promise<void>;
};

const person = 'person';

export function TransferDialog({ isOpen, ...form }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={form.onClose} title={t`Transfer project`}>
      <TransferForm {...form} />
    </FormDialog>
  );
}

function TransferForm({ projectId, others, onClose, ...deps }: Omit<Props, 'isOpen'>) {
  const teams = useResource(['own-teams'], deps.listTeams);
  const form = useForm<Values>({
    initialValues: { to: person, email: '', role: 'none' },
    validate: { email: (email, { to }) => (to === person ? emailFault(email) : null) },
  });
  const action = useAction(({ to, email, role }: Values) =>
    to === person ? deps.transfer(email.trim(), role) : deps.transferToTeam(to),
  );
  const { to, email, role } = form.values;
  const submitLabel = to === person ? t`Send transfer` : t`Transfer project`;
  const receivers = [
    { value: person, label: t`A person, by email` },
    ...(teams.value ?? []).map((team) => ({ value: team.id, label: labelOf(team) })),
  ];
  return (
    <DialogForm form={form} action={action} submitLabel={submitLabel} onDone={onClose} onClose={onClose}>
      {(receivers.length > 1 || teams.error !== undefined) && (
        <Select
          label={t`New owner`}
          data={receivers}
          allowDeselect={false}
          {...form.getInputProps('to')}
          error={teams.error === undefined ? undefined : t`The teams could not be loaded`}
        />
      )}
      {to === person ? (
        <>
          <TextInput label={t`Email of the new owner`} type="email" data-autofocus {...form.getInputProps('email')} />
          <Select
            label={t`You afterwards`}
            data={handoverOptions}
            allowDeselect={false}
            {...form.getInputProps('role')}
          />
          <Consequences>
            <AfterEmail email={email.trim()} {...{ role, others, projectId }} />
          </Consequences>
        </>
      ) : (
        <>
          <OwnerPreviews {...deps.previews}>
            <PreviewNote call={callOfProjectTransfer(projectId, to)} />
          </OwnerPreviews>
          <Consequences>
            <AfterTransfer projectId={projectId} />
          </Consequences>
        </>
      )}
    </DialogForm>
  );
}

const labelOf = ({ displayName }: OwnTeam): string =>
  displayName.trim() === '' ? teamName({ displayName }) : t`Team ${displayName}`;

function Consequences({ children }: { children: ReactNode }) {
  return (
    <section aria-labelledby="transfer-preview">
      <Text id="transfer-preview" size="sm" fw={600}>
        <Trans>What will happen</Trans>
      </Text>
      <List size="sm" aria-labelledby="transfer-preview">
        {children}
      </List>
    </section>
  );
}

type AfterEmailProps = { email: string; role: HandoverRole; others: number; projectId: string };

function AfterEmail({ email, role, others, projectId }: AfterEmailProps) {
  return (
    <>
      <List.Item>
        <Trans>{email || t`The new owner`} gets an email with a link that is valid for 7 days.</Trans>
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
          <KeysLink projectId={projectId}>create new keys and revoke the old ones</KeysLink>.
        </Trans>
      </List.Item>
    </>
  );
}

/** What the preview of the transfer does not say, because it stays as it is. */
function AfterTransfer({ projectId }: { projectId: string }) {
  return (
    <>
      <List.Item>
        <Trans>No emails are sent.</Trans>
      </List.Item>
      <List.Item>
        <Trans>Users, sessions, settings and quotas of the project stay as they are.</Trans>
      </List.Item>
      <List.Item>
        <Trans>
          The project counts toward the quota of the person who created it as long as they are a member of the team.
        </Trans>
      </List.Item>
      <List.Item>
        <Trans>
          To end access with copied project keys,{' '}
          <KeysLink projectId={projectId}>create new keys and revoke the old ones</KeysLink>.
        </Trans>
      </List.Item>
    </>
  );
}

const KeysLink = ({ projectId, children }: { projectId: string; children: ReactNode }) => (
  <AppLink underline="always" href={`/projects/${projectId}/settings/keys`}>
    {children}
  </AppLink>
);
