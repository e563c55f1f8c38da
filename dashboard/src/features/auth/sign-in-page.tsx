import type { AuthClient } from '@gatebook/sdk/auth';
import { isKnownError } from '@gatebook/sdk/errors';
import { useAction } from '@gatebook/sdk/react/use-action';
import { emailFault, requiredFault } from '@gatebook/sdk/validation';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { AppLink } from '../../components/app-link.tsx';
import { EntryPage } from '../../components/entry-page.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';

type SignInPageProps = {
  auth: Pick<AuthClient, 'signInWithPassword'>;
  /** Link to the sign-up page, where people may sign up. */
  signUpHref: string | null;
  onSignedIn: () => void;
};

export function SignInPage({ auth, signUpHref, onSignedIn }: SignInPageProps) {
  useTitle('Sign in');
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: { email: emailFault, password: requiredFault('your password') },
  });
  const signIn = useAction(async (values: { email: string; password: string }) => {
    await auth.signInWithPassword({ email: values.email.trim(), password: values.password });
    onSignedIn();
  });
  return (
    <EntryPage
      title="Sign in"
      lead="For the owners of projects."
      foot={
        signUpHref && (
          <>
            No account yet? <AppLink href={signUpHref}>Sign up</AppLink>
          </>
        )
      }
    >
      <form onSubmit={form.onSubmit((values) => void signIn.run(values))} noValidate>
        <Stack gap="md">
          {signIn.error !== undefined && <SignInError error={signIn.error} />}
          <TextInput label="E-mail" type="email" autoComplete="username" {...form.getInputProps('email')} autoFocus />
          <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
          <Button type="submit" fullWidth mt={4} loading={signIn.isRunning}>
            Sign in
          </Button>
        </Stack>
      </form>
    </EntryPage>
  );
}

function SignInError({ error }: { error: unknown }) {
  return <ErrorNote error={inOtherWords(error)} />;
}

function inOtherWords(error: unknown): unknown {
  if (isKnownError(error, 'EMAIL_PASSWORD_MISMATCH')) return new Error('This e-mail and password do not fit together.');
  if (isKnownError(error, 'MULTI_FACTOR_AUTHENTICATION_REQUIRED')) {
    return new Error('This account asks for a second factor, which the dashboard cannot take yet.');
  }
  return error;
}
