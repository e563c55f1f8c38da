import { continueAfterSignIn, startImpersonation } from '@gatebook/js/core';
import { useEffect, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { DeadLinkCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler } from '../context.ts';
import { PersonIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

/**
 * Takes the session of an impersonation from the hash of the URL, which browsers send to no server. The button starts
 * it, because it takes the place of the current session.
 */
export function ImpersonationPage() {
  const { t } = useTexts();
  const { app, url } = useHandler();
  const [refreshToken] = useState(() => url.hash.slice(1));
  useEffect(() => {
    if (location.hash !== '') history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  }, []);
  const start = useAction(async () => {
    await startImpersonation(app.session, refreshToken);
    await continueAfterSignIn(app.redirects, { isNewUser: false });
  });
  if (refreshToken === '') return <DeadLinkCard fault="invalid" next={t('Start again in the dashboard.')} />;
  if (start.error !== undefined) return <UnknownErrorCard error={start.error} />;
  return (
    <MessageCard
      title={t('Act as this user?')}
      icon={<PersonIcon />}
      primary={{ label: t('Continue'), onPress: () => void start.run(), isBusy: start.isRunning }}
      secondary={{ label: t('Cancel'), to: 'home' }}
    >
      {t('You will be signed out of your own account here. Everything you do is recorded with your name.')}
    </MessageCard>
  );
}
