import { emailFault } from '@gatebook/js/core';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { useAction } from '../use-action.ts';
import { Button, ErrorNote, TextField } from './controls.tsx';
import { addressFault } from './error-messages.ts';
import { submitHandler } from './submit-handler.ts';

type Input = RefObject<HTMLInputElement | null>;
type EmailFormProps = {
  email: string;
  onEmail: (email: string) => void;
  submitLabel: string;
  submit: (email: string) => Promise<void>;
  /**
   * Shows what is wrong with the fields in `children`. Returns the first input to correct, or null if all are valid.
   */
  validate?: () => Input | null;
  /** The input to type in again after the server rejected the address; the email field by default. */
  retryInput?: Input;
  /** Below the email field. */
  hint?: ReactNode;
  /** Fields below the email field. */
  children?: ReactNode;
};

/** A form that starts with an email address: sign-in, sign-up, email code and password reset. */
export function EmailForm({
  email,
  onEmail,
  submitLabel,
  submit,
  validate,
  retryInput,
  hint,
  children,
}: EmailFormProps) {
  const { t, translate, errorText } = useTexts();
  const [fault, setFault] = useState<string | null>(null);
  const emailInput = useRef<HTMLInputElement>(null);
  const action = useAction(async () => {
    try {
      await submit(email.trim());
    } catch (error) {
      const found = addressFault(error);
      if (found === null) throw error;
      setFault(t(found));
      (retryInput ?? emailInput).current?.select();
    }
  });
  const check = () => {
    const found = emailFault(email);
    setFault(found === null ? null : translate(found));
    const invalidInput = validate?.() ?? null;
    const first = found === null ? invalidInput : emailInput;
    if (first === null) void action.run();
    else first.current?.focus();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={submitHandler(check)}>
      {action.error !== undefined && <ErrorNote>{errorText(action.error)}</ErrorNote>}
      <TextField
        label={t('Email')}
        type="email"
        name="email"
        autoComplete="username webauthn"
        value={email}
        onChange={onEmail}
        fault={fault}
        inputRef={emailInput}
        hint={hint}
      />
      {children}
      <Button type="submit" isBusy={action.isRunning}>
        {submitLabel}
      </Button>
    </form>
  );
}
