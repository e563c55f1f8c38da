import type { SignedIn } from '@gatebook/js/auth';
import { errorText } from '@gatebook/js/error-text';
import { isKnownError } from '@gatebook/js/errors';
import { useRef, useState } from 'react';
import { useAction } from '../use-action.ts';
import { CodeInput } from './code-input.tsx';
import { useHandler } from './context.ts';
import { Button, ErrorNote } from './controls.tsx';
import { Card } from './frame.tsx';
import { ShieldIcon } from './icons.tsx';

type StepProps = {
  attemptCode: string;
  through: (signIn: () => Promise<SignedIn>) => Promise<void>;
  onStartOver: () => void;
};

/** Asks for the digits of the authenticator app. A wrong code can be tried again until the attempt is over. */
export function SecondFactorStep({ attemptCode, through, onStartOver }: StepProps) {
  const { app } = useHandler();
  const [totp, setTotp] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const verify = useAction(async (digits: string) => {
    try {
      await through(() => app.auth.signInWithSecondFactor({ attemptCode, totp: digits }));
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
      title="One more step"
      icon={<ShieldIcon />}
      lead="Your account asks for a second factor: the six digits that your authenticator app shows."
    >
      <form
        className="gbh-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (totp.length === 6) void verify.run(totp);
        }}
      >
        {isOver && <ErrorNote>This took too long, or too many tries. Start over.</ErrorNote>}
        {verify.error !== undefined && !isWrong && !isOver && <ErrorNote>{errorText(verify.error)}</ErrorNote>}
        <CodeInput
          label="Code from your authenticator app"
          kind="digits"
          value={totp}
          onChange={setTotp}
          onComplete={(digits) => void verify.run(digits)}
          isBusy={verify.isRunning}
          fault={isWrong ? 'This code is not right. Wait for the next one and try again' : null}
          inputRef={(element) => {
            if (element && !input.current) element.focus();
            input.current = element;
          }}
        />
        <Button tone="quiet" onClick={onStartOver}>
          Start over
        </Button>
      </form>
    </Card>
  );
}
