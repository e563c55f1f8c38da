import type { SignedIn } from '@gatebook/js/auth';
import { errorText } from '@gatebook/js/error-text';
import { emailFault } from '@gatebook/js/validation';
import { useRef, useState } from 'react';
import { useAction } from '../use-action.ts';
import { useHandler } from './context.ts';
import { Button, ErrorNote, PageLink, PasswordField, TextField } from './controls.tsx';
import { asSubmit } from './submit.ts';
import { addressFault } from './words.ts';

export type SignInFormProps = {
  /** Shared by the forms of a page, so that it is typed once. */
  email: string;
  onEmail: (email: string) => void;
  through: (signIn: () => Promise<SignedIn>) => Promise<void>;
};
type Faults = { email?: string | null; password?: string | null };

export function PasswordSignInForm({ email, onEmail, through }: SignInFormProps) {
  const { app } = useHandler();
  const [password, setPassword] = useState('');
  const [faults, setFaults] = useState<Faults>({});
  const emailInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  const signIn = useAction(async () => {
    try {
      await through(() => app.auth.signInWithPassword({ email: email.trim(), password }));
    } catch (error) {
      const fault = addressFault(error);
      if (fault === null) throw error;
      setFaults({ email: fault });
      passwordInput.current?.select();
    }
  });
  const submit = () => {
    const found: Faults = { email: emailFault(email), password: password === '' ? 'Enter your password' : null };
    setFaults(found);
    if (!found.email && !found.password) void signIn.run();
    else (found.email ? emailInput : passwordInput).current?.focus();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={asSubmit(submit)}>
      {signIn.error !== undefined && <ErrorNote>{errorText(signIn.error)}</ErrorNote>}
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={onEmail}
        fault={faults.email ?? null}
        inputRef={emailInput}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        fault={faults.password ?? null}
        aside={<PageLink to="forgotPassword">Forgot it?</PageLink>}
        inputRef={passwordInput}
      />
      <Button type="submit" isBusy={signIn.isRunning}>
        Sign in
      </Button>
    </form>
  );
}
