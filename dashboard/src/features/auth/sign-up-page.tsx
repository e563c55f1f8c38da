import type { AuthClient } from '@gatebook/sdk/auth';
import { isKnownError } from '@gatebook/sdk/errors';
import { useAction } from '@gatebook/sdk/react/use-action';
import { emailFault, newPasswordFault } from '@gatebook/sdk/validation';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { AppLink } from '../../components/app-link.tsx';
import { EntryPage } from '../../components/entry-page.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { useTitle } from '../../lib/use-title.ts';

type SignUpPageProps = {
  auth: Pick<AuthClient, 'signUpWithPassword'>;
  isOpen: boolean;
  signInHref: string;
  /** Where the link of the verification mail leads. */
  verificationCallbackUrl: string;
  onSignedUp: () => void;
};

export function SignUpPage({ auth, isOpen, signInHref, verificationCallbackUrl, onSignedUp }: SignUpPageProps) {
  useTitle('Sign up');
  const foot = (
    <>
      Have an account? <AppLink href={signInHref}>Sign in</AppLink>
    </>
  );
  if (!isOpen) {
    return (
      <EntryPage title="Sign-up is closed" foot={foot}>
        On this server, accounts are made by its operators. Ask one of them for yours.
      </EntryPage>
    );
  }
  return (
    <EntryPage title="Make an account" lead="To create projects of your own and look after their users." foot={foot}>
      <SignUpForm auth={auth} verificationCallbackUrl={verificationCallbackUrl} onSignedUp={onSignedUp} />
    </EntryPage>
  );
}

function SignUpForm({
  auth,
  verificationCallbackUrl,
  onSignedUp,
}: Pick<SignUpPageProps, 'auth' | 'verificationCallbackUrl' | 'onSignedUp'>) {
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: { email: emailFault, password: newPasswordFault },
  });
  const signUp = useAction(async (values: { email: string; password: string }) => {
    try {
      await auth.signUpWithPassword({ email: values.email.trim(), password: values.password, verificationCallbackUrl });
    } catch (error) {
      if (!isKnownError(error, 'USER_EMAIL_ALREADY_EXISTS')) throw error;
      form.setFieldError('email', 'Somebody signs in with this address already');
      return;
    }
    onSignedUp();
  });
  return (
    <form onSubmit={form.onSubmit((values) => void signUp.run(values))} noValidate>
      <Stack gap="md">
        {signUp.error !== undefined && <ErrorNote error={signUp.error} />}
        <TextInput label="E-mail" type="email" autoComplete="username" {...form.getInputProps('email')} />
        <PasswordInput
          label="Password"
          description="8 to 70 characters"
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth mt={4} loading={signUp.isRunning}>
          Sign up
        </Button>
      </Stack>
    </form>
  );
}
