import type { InvitationLink, ProjectInvitationsClient, ReceivedInvitation } from '@gatebook/js/admin';
import { isKnownError } from '@gatebook/js/errors';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { EntryPage } from '../../components/entry-page.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { newPasswordFault } from '../../lib/library-texts.ts';
import { roleLabels } from '../../lib/role.ts';
import { useTitle } from '../../lib/use-title.ts';
import { roleAfter } from './names.ts';

type Props = {
  invitations: ProjectInvitationsClient;
  link: InvitationLink;
  isSignedIn: boolean;
  /** Returns to this page afterwards. */
  signInHref: string;
  onDone: () => void;
};

/** Where the link of an invitation leads: join with the account that is signed in, or with a new one. */
export function InvitationPage({ invitations, link, isSignedIn, signInHref, onDone }: Props) {
  useTitle(t`Invitation`);
  const found = useResource(['project-invitation', link.projectId, link.code], () => invitations.find(link));
  if (isKnownError(found.error, 'VERIFICATION_ERROR')) {
    return (
      <EntryPage title={t`This invitation is not valid`}>
        <Text size="sm">
          <Trans>It was used, revoked or replaced, or it has expired. Ask for a new one.</Trans>
        </Text>
      </EntryPage>
    );
  }
  if (found.value === undefined) {
    return (
      <EntryPage title={t`Invitation`}>
        {found.error === undefined ? (
          <BlockLoading height={180} label={t`Loading invitation`} />
        ) : (
          <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />
        )}
      </EntryPage>
    );
  }
  const { senderRole, role } = found.value;
  const parts = { invitations, link, invitation: found.value, signInHref, onDone };
  return (
    <EntryPage
      title={`${senderRole === null ? t`Join` : t`Take over`} ${found.value.projectName || link.projectId}`}
      lead={
        senderRole === null
          ? t`You’ve been invited with the role ${roleLabels[role]}.`
          : t`You become an owner of the project, and ${roleAfter.recipient(senderRole)}.`
      }
      foot={
        !isSignedIn && (
          <Anchor href={signInHref}>
            <Trans>I already have an account</Trans>
          </Anchor>
        )
      }
    >
      {isSignedIn ? <JoinForm {...parts} /> : <SignUpForm {...parts} />}
    </EntryPage>
  );
}

type FormProps = Omit<Props, 'isSignedIn'> & { invitation: ReceivedInvitation };

function JoinForm({ invitations, link, invitation, onDone }: FormProps) {
  const join = useAction(async () => {
    await invitations.accept(link);
    onDone();
  });
  return (
    <Stack gap="md">
      {join.error !== undefined && <ErrorNote error={join.error} />}
      <Button fullWidth loading={join.isRunning} onClick={() => void join.run()}>
        {invitation.senderRole === null ? t`Join project` : t`Accept project`}
      </Button>
    </Stack>
  );
}

type Values = { displayName: string; password: string };

function SignUpForm({ invitations, link, invitation, signInHref, onDone }: FormProps) {
  const form = useForm<Values>({
    initialValues: { displayName: '', password: '' },
    validate: { password: newPasswordFault },
  });
  const signUp = useAction(async ({ displayName, password }: Values) => {
    await invitations.signUp(link, { password, displayName: displayName.trim() || null });
    onDone();
  });
  const hasAccount = isKnownError(signUp.error, 'USER_EMAIL_ALREADY_EXISTS');
  return (
    <form onSubmit={form.onSubmit((values) => void signUp.run(values))} noValidate>
      <Stack gap="md">
        {hasAccount && (
          <Text size="sm" role="alert">
            <Trans>
              This email address has an account. <Anchor href={signInHref}>Sign in</Anchor> to join.
            </Trans>
          </Text>
        )}
        {signUp.error !== undefined && !hasAccount && <ErrorNote error={signUp.error} />}
        <TextInput label={t`Email`} value={invitation.recipientEmail ?? ''} readOnly autoComplete="username" />
        <TextInput label={t`Your name`} autoComplete="name" {...form.getInputProps('displayName')} />
        <PasswordInput
          label={t`Password`}
          description={t`8 to 70 characters`}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth mt={4} loading={signUp.isRunning}>
          <Trans>Create account and join</Trans>
        </Button>
      </Stack>
    </form>
  );
}
