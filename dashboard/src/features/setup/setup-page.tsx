import { AnswerError, isKnownError } from '@gatebook/js/errors';
import type { SetupClient } from '@gatebook/js/setup';
import { emailFault, newPasswordFault } from '@gatebook/js/validation';
import { useAction } from '@gatebook/react/use-action';
import { useResource } from '@gatebook/react/use-resource';
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { EntryPage } from '../../components/entry-page.tsx';
import { BlockLoading, ErrorNote } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';

type SetupPageProps = { setup: SetupClient; token: string | null; signInHref: string; onDone: () => void };
type Values = { displayName: string; email: string; password: string };

/** Makes the first owner, with the one-time link that the first start prints. */
export function SetupPage({ setup, token, signInHref, onDone }: SetupPageProps) {
  useTitle('Set up');
  const foot = (
    <>
      Set up already? <Anchor href={signInHref}>Sign in</Anchor>
    </>
  );
  if (!token) {
    return (
      <EntryPage title="This link is not whole" foot={foot}>
        <Text size="sm">
          The set-up link ends in a long code. Copy the whole line that Gatebook printed when it was started.
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
      <EntryPage title="This link is used up" foot={foot}>
        <Text size="sm">{usedUp}</Text>
      </EntryPage>
    );
  }
  if (isValid.value === undefined && isValid.error === undefined) {
    return (
      <EntryPage title="Welcome to Gatebook" foot={foot}>
        <BlockLoading height={260} label="Looking at your link" />
      </EntryPage>
    );
  }
  // When the link could not be looked at, sending the form will tell.
  return (
    <EntryPage
      title="Welcome to Gatebook"
      lead="Make the first owner's account. It looks after this server and every project that you create on it."
      foot={foot}
    >
      <SetupForm setup={setup} token={token} onDone={onDone} />
    </EntryPage>
  );
}

const usedUp =
  'It has been used, or a newer one has been printed. If there is no owner yet, start Gatebook again for a fresh link.';

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
        {complete.error !== undefined && <ErrorNote error={inOtherWords(complete.error)} />}
        <TextInput label="Your name" autoComplete="name" {...form.getInputProps('displayName')} autoFocus />
        <TextInput label="E-mail" type="email" autoComplete="username" {...form.getInputProps('email')} />
        <PasswordInput
          label="Password"
          description="8 to 70 characters"
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth mt={4} loading={complete.isRunning}>
          Open the gate
        </Button>
      </Stack>
    </form>
  );
}

function inOtherWords(error: unknown): unknown {
  const isOver = error instanceof AnswerError && error.status >= 400 && error.status < 500 && error.status !== 429;
  if (isOver || isKnownError(error, 'VERIFICATION_ERROR')) {
    return new Error(usedUp);
  }
  return error;
}
