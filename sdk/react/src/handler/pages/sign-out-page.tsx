import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { LoadingCard } from '../card.tsx';
import { SignedOutCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { AlertIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

/** Signs out as soon as it opens. */
export function SignOutPage() {
  const { t } = useTexts();
  const { app } = useHandler();
  const user = useUser();
  const isSigningOut = useRef(false);
  // Signing out resets the user, so remember that it began. If the user can't be loaded, a session counts as signed in.
  if (user.value || (user.error !== undefined && app.session.isSignedIn())) isSigningOut.current = true;
  if (isSigningOut.current) return <SigningOut />;
  if (user.value === null || user.error !== undefined) return <SignedOutCard />;
  return <LoadingCard title={t('Signing out')} label={t('Loading')} />;
}

function SigningOut() {
  const { t, errorText } = useTexts();
  const { app } = useHandler();
  const [isOut, setOut] = useState(false);
  const hasStarted = useRef(false);
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
    if (hasStarted.current) return;
    hasStarted.current = true;
    void run();
  }, [run]);
  if (isOut) return <SignedOutCard />;
  if (signOut.error === undefined) return <LoadingCard title={t('Signing out')} label={t('Signing out')} />;
  return (
    <MessageCard
      title={t('You are still signed in')}
      icon={<AlertIcon />}
      tone="bad"
      primary={{ label: t('Try again'), onPress: () => void run(), isBusy: signOut.isRunning }}
      secondary={{
        label: t('Sign out on this device only'),
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
