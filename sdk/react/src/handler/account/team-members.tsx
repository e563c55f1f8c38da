import { emailFault, type OwnTeam } from '@gatebook/js/core';
import { useRef, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { Avatar } from '../avatar.tsx';
import { useHandler } from '../context.ts';
import { Button, TextField } from '../controls.tsx';
import { MailIcon } from '../icons.tsx';
import { submitHandler } from '../submit-handler.ts';
import { useAccount, useOwnResource } from './account.ts';
import { ActionError } from './action-error.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { Row, Rows, Section, SuccessNote } from './section.tsx';
import { dayText } from './times.ts';

/** In pixels. */
const AVATAR_SIZE = 28;

export function Members({ team }: { team: OwnTeam }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const { user } = useAccount();
  const members = useOwnResource(['team-members', team.id], () => app.teams.listMembers(team.id));
  return (
    <Section title={t('Members')}>
      <Rows list={members} label={t('Loading members')} empty={t('No members.')}>
        {(member) => (
          <Row
            key={member.userId}
            icon={<Avatar user={member} size={AVATAR_SIZE} />}
            title={member.displayName ?? t('No name')}
            badges={member.userId === user.id ? [t('You')] : []}
          />
        )}
      </Rows>
    </Section>
  );
}

type InvitationsProps = { team: OwnTeam; can: (permission: string) => boolean };

/** The form for an invitation, and those that are open to those who also see the members. */
export function Invitations({ team, can }: InvitationsProps) {
  const { t, lang } = useTexts();
  const { app } = useHandler();
  const invitations = useOwnResource(['team-invitations', team.id], async () =>
    can('$read_members') ? app.teams.listInvitations(team.id) : [],
  );
  return (
    <>
      <Invite team={team} onSent={invitations.refresh} />
      {can('$read_members') && (
        <Section title={t('Open invitations')}>
          <Rows list={invitations} label={t('Loading invitations')} empty={t('No open invitations.')}>
            {({ id, recipientEmail, expiresAt }) => (
              <Row
                key={id}
                icon={<MailIcon />}
                title={recipientEmail}
                small={t('Expires {date}', { date: dayText(expiresAt, lang) })}
              >
                {can('$remove_members') && (
                  <ConfirmButton
                    label={t('Revoke')}
                    name={t('Revoke {name}', { name: recipientEmail })}
                    question={t('Revoke the invitation of {email}?', { email: recipientEmail })}
                    confirmLabel={t('Revoke invitation')}
                    call={async () => {
                      await app.teams.revokeInvitation(team.id, id);
                      await invitations.refresh();
                    }}
                  />
                )}
              </Row>
            )}
          </Rows>
        </Section>
      )}
    </>
  );
}

function Invite({ team, onSent }: { team: OwnTeam; onSent: () => Promise<void> }) {
  const { t, translate } = useTexts();
  const { app } = useHandler();
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const invite = useAction(async (address: string) => {
    await app.teams.invite(team.id, {
      email: address,
      callbackUrl: app.redirects.callbackUrl('teamInvitation'),
    });
    setEmail('');
    setSentTo(address);
    await onSent();
  });
  const submit = () => {
    const found = emailFault(email);
    setFault(found === null ? null : translate(found));
    setSentTo(null);
    if (found === null) void invite.run(email.trim());
    else input.current?.focus();
  };
  return (
    <Section title={t('Invite a member')}>
      <form className="gbh-form" noValidate onSubmit={submitHandler(submit)}>
        <ActionError error={invite.error} />
        <TextField
          label={t('Email')}
          type="email"
          name="invited-email"
          autoComplete="off"
          value={email}
          onChange={setEmail}
          fault={fault}
          inputRef={input}
        />
        <div className="gbh-row-actions">
          <Button tone="plain" type="submit" isBusy={invite.isRunning}>
            {t('Send invitation')}
          </Button>
          {sentTo && <SuccessNote>{t('Invitation sent to {email}.', { email: sentTo })}</SuccessNote>}
        </div>
      </form>
    </Section>
  );
}
