import type { ReactNode } from 'react';
import { SignedInCard } from './cards.tsx';
import { LoadingCard } from './frame.tsx';
import { AlertIcon } from './icons.tsx';
import { MessageCard } from './message-card.tsx';
import { SecondFactorStep } from './second-factor-step.tsx';
import type { useSignIn } from './use-sign-in.ts';

type StagesProps = { signIn: ReturnType<typeof useSignIn>; title: string; children: ReactNode };

/** Shows `children` until a sign-in goes on from them. */
export function SignInStages({ signIn, title, children }: StagesProps) {
  const { stage, through, startOver } = signIn;
  switch (stage.at) {
    case 'start':
      return children;
    case 'second-factor':
      return <SecondFactorStep attemptCode={stage.attemptCode} through={through} onStartOver={startOver} />;
    case 'leaving':
      return <LoadingCard title={title} label="You are signed in. One moment." />;
    case 'done':
      return <SignedInCard />;
    case 'lost':
      return <LostCard />;
  }
}

/** The way back leads off the site, and is not followed. */
export function LostCard() {
  return (
    <MessageCard
      title="You are signed in"
      icon={<AlertIcon />}
      tone="bad"
      primary={{ label: 'Home', to: 'home', noRedirectBack: true }}
    >
      The link that brought you here asked to send you on to another site. It was not followed.
    </MessageCard>
  );
}
