import { attemptCodeName } from '@gatebook/js/core';
import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useHandler } from '../context.ts';
import { AlertIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';
import { SecondFactorStep } from '../second-factor-step.tsx';
import { SignInStages } from '../stages.tsx';
import { useSignIn } from '../use-sign-in.ts';

/** Asks for the second factor of a sign-in that the app's own pages started (protocol, client §A.2). */
export function MfaPage() {
  const { t } = useTexts();
  const { app } = useHandler();
  const signIn = useSignIn();
  const [attemptCode] = useState(readAttemptCode);
  const startOver = () => {
    sessionStorage.removeItem(attemptCodeName);
    void app.redirects.to('signIn', { replace: true, returnsHere: false });
  };
  if (attemptCode === null) {
    return (
      <MessageCard
        title={t('No sign-in is in progress')}
        icon={<AlertIcon />}
        primary={{ label: t('Sign in'), to: 'signIn', returnsHere: false }}
      >
        {t('Sign in again. You will then be asked for the code of your authenticator app.')}
      </MessageCard>
    );
  }
  return (
    <SignInStages signIn={{ ...signIn, startOver }} title={t('Two-factor authentication')}>
      <SecondFactorStep
        attemptCode={attemptCode}
        runSignIn={(call) =>
          signIn.runSignIn(async () => {
            const signedIn = await call();
            sessionStorage.removeItem(attemptCodeName);
            return signedIn;
          })
        }
        onStartOver={startOver}
      />
    </SignInStages>
  );
}

/** Null if no sign-in waits in this tab, or if storage is blocked. */
function readAttemptCode(): string | null {
  try {
    return sessionStorage.getItem(attemptCodeName);
  } catch {
    return null;
  }
}
