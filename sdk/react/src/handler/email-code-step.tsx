import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { useAction } from '../use-action.ts';
import { Card } from './card.tsx';
import { CodeInput } from './code-input.tsx';
import { useHandler } from './context.ts';
import { Button, ErrorNote } from './controls.tsx';
import type { SentCode } from './email-code-form.tsx';
import { typedCodeFault } from './error-messages.ts';
import { MailIcon } from './icons.tsx';
import { useElapsed } from './use-elapsed.ts';
import type { RunSignIn } from './use-sign-in.ts';

/** Emails take a while. Someone who resends too early would type the older code. */
const AGAIN_AFTER_MS = 30_000;

type StepProps = {
  sent: SentCode;
  onSentAgain: (sent: SentCode) => void;
  runSignIn: RunSignIn;
  onCancel: () => void;
};

/** Submits as soon as all six characters are typed. */
export function EmailCodeStep({ sent, onSentAgain, runSignIn, onCancel }: StepProps) {
  const { t, rich, errorText } = useTexts();
  const { app } = useHandler();
  const [code, setCode] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const enter = useAction(async (typed: string) => {
    try {
      await runSignIn(() => app.auth.signInWithCode(`${typed}${sent.nonce}`));
    } finally {
      setCode('');
      input.current?.focus();
    }
  });
  const sendAgain = useAction(async () => {
    const callbackUrl = app.redirects.callbackUrl('magicLinkCallback');
    const { nonce } = await app.auth.sendSignInCode({ email: sent.email, callbackUrl });
    enter.reset();
    onSentAgain({ email: sent.email, nonce });
    input.current?.focus();
  });
  const canSendAgain = useElapsed(AGAIN_AFTER_MS, sent.nonce);
  const fault = enter.error === undefined ? null : typedCodeFault(enter.error);
  const other = fault === null ? (enter.error ?? sendAgain.error) : sendAgain.error;
  return (
    <Card
      title={t('Check your email')}
      icon={<MailIcon />}
      lead={rich('We sent a six-character code to {email}. Enter it here, or open the link in the email.', {
        email: <strong>{sent.email}</strong>,
      })}
    >
      <form className="gbh-form" noValidate onSubmit={(event) => event.preventDefault()}>
        {other !== undefined && <ErrorNote>{errorText(other)}</ErrorNote>}
        <CodeInput
          label={t('Code from the email')}
          kind="letters-and-digits"
          value={code}
          onChange={setCode}
          onComplete={(typed) => void enter.run(typed)}
          isBusy={enter.isRunning}
          fault={fault === null ? null : t(fault)}
          inputRef={input}
        />
        <div className="gbh-row">
          <Button tone="quiet" onClick={onCancel}>
            {t('Use a different email')}
          </Button>
          {canSendAgain && (
            <Button tone="quiet" onClick={() => void sendAgain.run()} isBusy={sendAgain.isRunning}>
              {t('Resend code')}
            </Button>
          )}
        </div>
      </form>
    </Card>
  );
}
