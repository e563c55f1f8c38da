import { errorText } from '@gatebook/js/error-text';
import { isKnownError } from '@gatebook/js/errors';
import { emailFault } from '@gatebook/js/validation';
import { useRef, useState } from 'react';
import { useAction } from '../../use-action.ts';
import { EmailSentCard, SignedInCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { Button, ErrorNote, PageLink, TextField } from '../controls.tsx';
import { Card, LoadingCard } from '../frame.tsx';
import { asSubmit } from '../submit.ts';

const title = 'Forgot your password?';

/** Ends the same for every address, so that it does not tell who has an account. */
export function ForgotPasswordPage() {
  const user = useUser();
  const [isSent, setSent] = useState(false);
  if (user.error !== undefined) return <UnknownErrorCard error={user.error} />;
  if (user.value === undefined) return <LoadingCard title={title} label="Loading" />;
  if (user.value !== null) return <SignedInCard />;
  return isSent ? <EmailSentCard /> : <AddressForm onSent={() => setSent(true)} />;
}

function AddressForm({ onSent }: { onSent: () => void }) {
  const { app } = useHandler();
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const send = useAction(async () => {
    try {
      const callbackUrl = app.redirects.callbackUrl('passwordReset');
      await app.auth.sendPasswordResetCode({ email: email.trim(), callbackUrl });
    } catch (error) {
      if (!isKnownError(error, 'USER_NOT_FOUND')) throw error;
    }
    onSent();
  });
  const submit = () => {
    const found = emailFault(email);
    setFault(found);
    if (found === null) void send.run();
    else input.current?.focus();
  };
  return (
    <Card
      title={title}
      lead="We mail you a link that sets a new one."
      foot={
        <>
          Remembered it? <PageLink to="signIn">Sign in</PageLink>
        </>
      }
    >
      <form className="gbh-form" noValidate onSubmit={asSubmit(submit)}>
        {send.error !== undefined && <ErrorNote>{errorText(send.error)}</ErrorNote>}
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          fault={fault}
          inputRef={input}
        />
        <Button type="submit" isBusy={send.isRunning}>
          Mail me a link
        </Button>
      </form>
    </Card>
  );
}
