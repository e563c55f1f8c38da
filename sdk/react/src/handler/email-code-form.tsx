import { errorText } from '@gatebook/js/error-text';
import { emailFault } from '@gatebook/js/validation';
import { useRef, useState } from 'react';
import { useAction } from '../use-action.ts';
import { useHandler } from './context.ts';
import { Button, ErrorNote, TextField } from './controls.tsx';
import { asSubmit } from './submit.ts';
import { addressFault } from './words.ts';

export type SentCode = { email: string; nonce: string };
type EmailCodeFormProps = { email: string; onEmail: (email: string) => void; onSent: (sent: SentCode) => void };

/** Asks for the address that a code goes to. */
export function EmailCodeForm({ email, onEmail, onSent }: EmailCodeFormProps) {
  const { app } = useHandler();
  const [fault, setFault] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const send = useAction(async () => {
    const address = email.trim();
    try {
      const callbackUrl = app.redirects.callbackUrl('magicLinkCallback');
      const { nonce } = await app.auth.sendSignInCode({ email: address, callbackUrl });
      onSent({ email: address, nonce });
    } catch (error) {
      const about = addressFault(error);
      if (about === null) throw error;
      setFault(about);
      input.current?.select();
    }
  });
  const submit = () => {
    const found = emailFault(email);
    setFault(found);
    if (found === null) void send.run();
    else input.current?.focus();
  };
  return (
    <form className="gbh-form" noValidate onSubmit={asSubmit(submit)}>
      {send.error !== undefined && <ErrorNote>{errorText(send.error)}</ErrorNote>}
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={onEmail}
        fault={fault}
        inputRef={input}
      />
      <Button type="submit" isBusy={send.isRunning}>
        Mail me a code
      </Button>
    </form>
  );
}
