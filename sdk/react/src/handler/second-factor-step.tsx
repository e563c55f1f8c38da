import { isKnownError } from '@gatebook/js/errors';
import { useRef, useState } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { useAction } from '../use-action.ts';
import { Card } from './card.tsx';
import { CodeInput } from './code-input.tsx';
import { useHandler } from './context.ts';
import { Button, ErrorNote } from './controls.tsx';
import { ShieldIcon } from './icons.tsx';
import type { RunSignIn } from './use-sign-in.ts';

type StepProps = {
  attemptCode: string;
  runSignIn: RunSignIn;
  onStartOver: () => void;
};

/** Asks for the authenticator app's code. A wrong code can be retried until the attempt expires. */
export function SecondFactorStep({ attemptCode, runSignIn, onStartOver }: StepProps) {
  const { t, errorText } = useTexts();
  const { app } = useHandler();
  const [totp, setTotp] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const verify = useAction(async (digits: string) => {
    try {
      await runSignIn(() => app.auth.signInWithSecondFactor({ attemptCode, totp: digits }));
    } catch (error) {
      setTotp('');
      input.current?.focus();
      throw error;
    }
  });
  const isWrong = isKnownError(verify.error, 'INVALID_TOTP_CODE');
  const isOver = isKnownError(verify.error, 'VERIFICATION_ERROR');
  return (
    <Card
      title={t('Two-factor authentication')}
      icon={<ShieldIcon />}
      lead={t('Enter the six-digit code from your authenticator app.')}
    >
      <form
        className="gbh-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (totp.length === 6) void verify.run(totp);
        }}
      >
        {isOver && <ErrorNote>{t('This sign-in expired or had too many attempts. Start over.')}</ErrorNote>}
        {verify.error !== undefined && !isWrong && !isOver && <ErrorNote>{errorText(verify.error)}</ErrorNote>}
        <CodeInput
          label={t('Code from your authenticator app')}
          kind="digits"
          value={totp}
          onChange={setTotp}
          onComplete={(digits) => void verify.run(digits)}
          isBusy={verify.isRunning}
          fault={isWrong ? t('Incorrect code. Wait for the next one and try again') : null}
          inputRef={(element) => {
            if (element && !input.current) element.focus();
            input.current = element;
          }}
        />
        <Button tone="quiet" onClick={onStartOver}>
          {t('Start over')}
        </Button>
      </form>
    </Card>
  );
}
