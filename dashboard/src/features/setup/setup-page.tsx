import type { SetupClient } from '@gatebook/js/admin';
import { AnswerError, isKnownError } from '@gatebook/js/errors';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { EntryPage } from '../../components/entry-page.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { emailFault, newPasswordFault } from '../../lib/library-texts.ts';
import { useTitle } from '../../lib/use-title.ts';

type SetupPageProps = { setup: SetupClient; token: string | null; signInHref: string; onDone: () => void };
type Values = { displayName: string; email: string; password: string };

/** Creates the first owner, using the one-time link that Gatebook prints at first start. */
export function SetupPage({ setup, token, signInHref, onDone }: SetupPageProps) {
  useTitle(t`Setup`);
  const foot = (
    <Trans>
      Already set up? <Anchor href={signInHref}>Sign in</Anchor>
    </Trans>
  );
  if (!token) {
    return (
      <EntryPage title={t`This link is incomplete`} foot={foot}>
        <Text size="sm">
          <Trans>The setup link ends in a long code. Copy the full link that Gatebook printed when it started.</Trans>
        </Text>
      </EntryPage>
    );
  }
  return <SetupWithToken setup={setup} token={token} foot={foot} onDone={onDone} />;
}

type WithTokenProps = { setup: SetupClient; token: string; foot: ReactNode; onDone: () => void };

function SetupWithToken({ setup, token, foot, onDone }: WithTokenProps) {
  const isValid = useResource(['setup', token], () => setup.check(token));
  if (isValid.value === false) {
    return (
      <EntryPage title={t`This link has already been used`} foot={foot}>
        <Text size="sm">{linkUsedText}</Text>
      </EntryPage>
    );
  }
  if (isValid.value === undefined && isValid.error === undefined) {
    return (
      <EntryPage title={t`Welcome to Gatebook`} foot={foot}>
        <BlockLoading height={260} label={t`Checking your link`} />
      </EntryPage>
    );
  }
  // If the link could not be checked, submitting the form shows the error.
  return (
    <EntryPage
      title={t`Welcome to Gatebook`}
      lead={t`Create the owner account. It manages this server and all of its projects.`}
      foot={foot}
    >
      <SetupForm setup={setup} token={token} onDone={onDone} />
    </EntryPage>
  );
}

const linkUsedText = t`The link was used or replaced by a newer one. If there is no owner account yet, restart Gatebook to get a new link.`;

function SetupForm({ setup, token, onDone }: { setup: SetupClient; token: string; onDone: () => void }) {
  const form = useForm<Values>({
    initialValues: { displayName: '', email: '', password: '' },
    validate: { email: emailFault, password: newPasswordFault },
  });
  const complete = useAction(async ({ displayName, email, password }: Values) => {
    await setup.complete({ token, email: email.trim(), password, displayName: displayName.trim() || null });
    onDone();
  });
  return (
    <form onSubmit={form.onSubmit((values) => void complete.run(values))} noValidate>
      <Stack gap="md">
        {complete.error !== undefined && <ErrorNote error={toSetupError(complete.error)} />}
        <TextInput label={t`Your name`} autoComplete="name" {...form.getInputProps('displayName')} autoFocus />
        <TextInput label={t`Email`} type="email" autoComplete="username" {...form.getInputProps('email')} />
        <PasswordInput
          label={t`Password`}
          description={t`8 to 70 characters`}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth mt={4} loading={complete.isRunning}>
          <Trans>Create owner account</Trans>
        </Button>
      </Stack>
    </form>
  );
}

/** Shows one explanation for every status that means that the link is not valid any longer. */
function toSetupError(error: unknown): unknown {
  const isLinkInvalid =
    error instanceof AnswerError && error.status >= 400 && error.status < 500 && error.status !== 429;
  if (isLinkInvalid || isKnownError(error, 'VERIFICATION_ERROR')) {
    return new Error(linkUsedText);
  }
  return error;
}
