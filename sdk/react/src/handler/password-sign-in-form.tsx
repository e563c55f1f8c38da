import { useRef, useState } from 'react';
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
  const { app } = useHandler();
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const validate = () => {
    setFault(password === '' ? 'Enter your password' : null);
    return password === '' ? input : null;
  };
  const signIn = (address: string) => runSignIn(() => app.auth.signInWithPassword({ email: address, password }));
  return (
    <EmailForm
      email={email}
      onEmail={onEmail}
      submitLabel="Sign in"
      submit={signIn}
      validate={validate}
      retryInput={input}
    >
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        fault={fault}
        aside={<PageLink to="forgotPassword">Forgot password?</PageLink>}
        inputRef={input}
      />
    </EmailForm>
  );
}
