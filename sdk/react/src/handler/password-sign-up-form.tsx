import { errorText } from '@gatebook/js/error-text';
import { emailFault, rejectedPasswordFault } from '@gatebook/js/validation';
import { useRef, useState } from 'react';
import { useAction } from '../use-action.ts';
import { useHandler } from './context.ts';
import { Button, ErrorNote, TextField } from './controls.tsx';
import { type NewPasswordFaults, NewPasswordFields, newPasswordFaults } from './new-password-fields.tsx';
import type { SignInFormProps } from './password-sign-in-form.tsx';
import { asSubmit } from './submit.ts';
import { addressFault } from './words.ts';

export function PasswordSignUpForm({ email, onEmail, through }: SignInFormProps) {
  const { app, noPasswordRepeat } = useHandler();
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [faults, setFaults] = useState<NewPasswordFaults & { email?: string | null }>({});
  const inputs = { email: useRef<HTMLInputElement>(null), password: useRef<HTMLInputElement>(null) };
  const repeatedInput = useRef<HTMLInputElement>(null);
  const signUp = useAction(async () => {
    const verificationCallbackUrl = app.redirects.callbackUrl('emailVerification');
    try {
      await through(() => app.auth.signUpWithPassword({ email: email.trim(), password, verificationCallbackUrl }));
    } catch (error) {
      const found = { password: rejectedPasswordFault(error), email: addressFault(error) };
      if (found.password === null && found.email === null) throw error;
      setFaults(found);
      inputs[found.password !== null ? 'password' : 'email'].current?.select();
    }
  });
  const submit = () => {
    const found = { email: emailFault(email), ...newPasswordFaults(password, noPasswordRepeat ? null : repeated) };
    setFaults(found);
    if (!found.email && !found.password && !found.repeated) void signUp.run();
    else (found.email ? inputs.email : found.password ? inputs.password : repeatedInput).current?.focus();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={asSubmit(submit)}>
      {signUp.error !== undefined && <ErrorNote>{errorText(signUp.error)}</ErrorNote>}
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={onEmail}
        fault={faults.email ?? null}
        inputRef={inputs.email}
      />
      <NewPasswordFields
        label="Password"
        password={password}
        onPassword={setPassword}
        repeated={noPasswordRepeat ? null : repeated}
        onRepeated={setRepeated}
        faults={faults}
        refs={{ password: inputs.password, repeated: repeatedInput }}
      />
      <Button type="submit" isBusy={signUp.isRunning}>
        Sign up
      </Button>
    </form>
  );
}
