import type { ReactNode } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { LoadingCard } from './card.tsx';
import { SignedInCard } from './cards.tsx';
import { AlertIcon } from './icons.tsx';
import { MessageCard } from './message-card.tsx';
import { SecondFactorStep } from './second-factor-step.tsx';
import type { useSignIn } from './use-sign-in.ts';

type StagesProps = { signIn: ReturnType<typeof useSignIn>; title: string; children: ReactNode };

/** Shows `children` until a sign-in starts, then the stage it is in. */
export function SignInStages({ signIn, title, children }: StagesProps) {
  const { t } = useTexts();
  const { stage, runSignIn, startOver } = signIn;
  switch (stage.at) {
    case 'start':
      return children;
    case 'second-factor':
      return <SecondFactorStep attemptCode={stage.attemptCode} runSignIn={runSignIn} onStartOver={startOver} />;
    case 'redirecting':
      return <LoadingCard title={title} label={t('Signed in. Redirecting.')} />;
    case 'done':
      return <SignedInCard />;
    case 'untrusted-return':
      return <UntrustedReturnCard />;
  }
}

/** The return target is on another site, so there is no redirect. */
export function UntrustedReturnCard() {
  const { t } = useTexts();
  return (
    <MessageCard
      title={t('You are signed in')}
      icon={<AlertIcon />}
      tone="bad"
      primary={{ label: t('Home'), to: 'home', noRedirectBack: true }}
    >
      {t('The link you opened tried to redirect you to another site. The redirect was blocked.')}
    </MessageCard>
  );
}
