import { useTexts } from '../texts/use-texts.ts';
import { useHandler } from './context.ts';
import { EmailForm } from './email-form.tsx';
import type { SignInFormProps } from './password-sign-in-form.tsx';
import { useNewPassword } from './use-new-password.tsx';

export function PasswordSignUpForm({ email, onEmail, runSignIn }: SignInFormProps) {
  const { t } = useTexts();
  const { app, noPasswordRepeat, storeLastUsed } = useHandler();
  const { password, validate, showRejection, fields } = useNewPassword(t('Password'), {
    isRepeated: !noPasswordRepeat,
    personal: [email],
  });
  const signUp = async (address: string) => {
    const verificationCallbackUrl = app.redirects.callbackUrl('emailVerification');
    try {
      await runSignIn(() => app.auth.signUpWithPassword({ email: address, password, verificationCallbackUrl }));
      storeLastUsed('password');
    } catch (error) {
      showRejection(error);
    }
  };
  return (
    <EmailForm email={email} onEmail={onEmail} submitLabel={t('Sign up')} submit={signUp} validate={validate}>
      {fields}
    </EmailForm>
  );
}
