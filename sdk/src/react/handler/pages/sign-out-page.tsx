import { useEffect, useRef, useState } from 'react';
import { errorText } from '../../../error-text.ts';
import { useAction } from '../../use-action.ts';
import { SignedOutCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { LoadingCard } from '../frame.tsx';
import { AlertIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

/** Opening it is enough. */
export function SignOutPage() {
  const { app } = useHandler();
  // Who was here when the page was opened: signing out makes them nobody.
  const [hadSession] = useState(() => app.session.isSignedIn());
  return hadSession ? <SigningOut /> : <NobodyHere />;
}

function NobodyHere() {
  const user = useUser();
  if (user.error !== undefined) return <UnknownErrorCard error={user.error} />;
  return <SignedOutCard />;
}

function SigningOut() {
  const { app } = useHandler();
  const [isOut, setOut] = useState(false);
  const begun = useRef(false);
  const leave = async () => {
    await app.redirects.to('afterSignOut');
    setOut(true);
  };
  const signOut = useAction(async () => {
    await app.auth.signOut();
    await leave();
  });
  const { run } = signOut;
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    void run();
  }, [run]);
  if (isOut) return <SignedOutCard />;
  if (signOut.error === undefined) return <LoadingCard title="Signing out" label="Signing out" />;
  return (
    <MessageCard
      title="You are still signed in"
      icon={<AlertIcon />}
      tone="bad"
      primary={{ label: 'Try again', onPress: () => void run(), isBusy: signOut.isRunning }}
      secondary={{
        label: 'Forget it on this device only',
        onPress: () => {
          app.session.invalidate();
          void leave();
        },
      }}
    >
      {errorText(signOut.error)}
    </MessageCard>
  );
}
