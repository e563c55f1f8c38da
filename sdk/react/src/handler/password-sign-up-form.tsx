import { useHandler } from './context.ts';
import { EmailForm } from './email-form.tsx';
import type { SignInFormProps } from './password-sign-in-form.tsx';
import { useNewPassword } from './use-new-password.tsx';

export function PasswordSignUpForm({ email, onEmail, runSignIn }: SignInFormProps) {
  const { app, noPasswordRepeat } = useHandler();
  const { password, validate, showRejection, fields } = useNewPassword('Password', { isRepeated: !noPasswordRepeat });
  const signUp = async (address: string) => {
    const verificationCallbackUrl = app.redirects.callbackUrl('emailVerification');
    try {
      await runSignIn(() => app.auth.signUpWithPassword({ email: address, password, verificationCallbackUrl }));
    } catch (error) {
      showRejection(error);
    }
  };
  return (
    <EmailForm email={email} onEmail={onEmail} submitLabel="Sign up" submit={signUp} validate={validate}>
      {fields}
    </EmailForm>
  );
}
