import { useRef, useState } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { useHandler } from './context.ts';
import { PageLink, PasswordField } from './controls.tsx';
import { EmailForm } from './email-form.tsx';
import type { RunSignIn } from './use-sign-in.ts';

export type SignInFormProps = {
  /** Shared by the forms of a page, so that it is typed once. */
  email: string;
  onEmail: (email: string) => void;
  runSignIn: RunSignIn;
};

export function PasswordSignInForm({ email, onEmail, runSignIn }: SignInFormProps) {
  const { t } = useTexts();
  const { app, storeLastUsed } = useHandler();
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const validate = () => {
    setFault(password === '' ? t('Enter your password') : null);
    return password === '' ? input : null;
  };
  const signIn = async (address: string) => {
    await runSignIn(() => app.auth.signInWithPassword({ email: address, password }));
    storeLastUsed('password');
  };
  return (
    <EmailForm
      email={email}
      onEmail={onEmail}
      submitLabel={t('Sign in')}
      submit={signIn}
      validate={validate}
      retryInput={input}
    >
      <PasswordField
        label={t('Password')}
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        fault={fault}
        aside={<PageLink to="forgotPassword">{t('Forgot password?')}</PageLink>}
        inputRef={input}
      />
    </EmailForm>
  );
}
