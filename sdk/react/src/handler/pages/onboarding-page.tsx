import type { CurrentUser } from '@gatebook/js/core';
import { useEffect, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useResource } from '../../use-resource.ts';
import { LoadingCard } from '../card.tsx';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler } from '../context.ts';
import { AlertIcon, MailIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

/** What a restricted user must do before the app lets them in. Other users leave the page. */
export function OnboardingPage() {
  const { t } = useTexts();
  const { app } = useHandler();
  const user = useResource(['user', 'anonymous'], () => app.getUser({ or: 'anonymous-if-exists' }));
  const { value, error } = user;
  const next = nextOf(value);
  useEffect(() => {
    if (next !== null) void app.redirects.to(next, { replace: true, returnsHere: false });
  }, [app, next]);
  if (error !== undefined && !value) return <UnknownErrorCard error={error} />;
  if (!value || next !== null) return <LoadingCard title={t('One moment')} label={t('Loading')} />;
  if (value.restriction === 'email_not_verified') return <VerifyEmail user={value} onVerified={user.refresh} />;
  return (
    <MessageCard
      title={t('Your account is restricted')}
      icon={<AlertIcon />}
      tone="bad"
      primary={{ label: t('Sign out'), to: 'signOut' }}
    >
      {value.restrictedByAdminReason ?? t('Contact the site owner.')}
    </MessageCard>
  );
}

/** The page for those who have nothing to do here. Anonymous users keep their account when they sign up. */
function nextOf(user: CurrentUser | null | undefined): 'signIn' | 'signUp' | 'afterSignIn' | null {
  if (user === undefined) return null;
  if (user === null) return 'signIn';
  if (user.isAnonymous) return 'signUp';
  return user.restriction === null ? 'afterSignIn' : null;
}

function VerifyEmail({ user, onVerified }: { user: CurrentUser; onVerified: () => Promise<void> }) {
  const { t, rich, errorText } = useTexts();
  const { app } = useHandler();
  const [isSent, setSent] = useState(false);
  const send = useAction(async () => {
    const channels = await app.contactChannels.list('me');
    const primary = channels.find(({ isPrimary }) => isPrimary);
    if (!primary) throw new Error(t('Add an email address to your account first.'));
    if (primary.isVerified) return onVerified();
    await app.contactChannels.sendVerification(primary, app.redirects.callbackUrl('emailVerification'));
    setSent(true);
  });
  useEffect(() => {
    // The link may be opened in another tab.
    const recheck = () => void onVerified();
    addEventListener('focus', recheck);
    return () => removeEventListener('focus', recheck);
  }, [onVerified]);
  return (
    <MessageCard
      title={t('Verify your email address')}
      icon={<MailIcon />}
      primary={{ label: t('Email me a link'), onPress: () => void send.run(), isBusy: send.isRunning }}
      secondary={{ label: t('Sign out'), to: 'signOut' }}
    >
      {send.error !== undefined && <p role="alert">{errorText(send.error)}</p>}
      {isSent && <p role="status">{t('Verification email sent. Open the link in it to verify the address.')}</p>}
      <p>
        {user.primaryEmail
          ? rich('Before you continue, verify {email} with the link that we email you.', {
              email: <strong>{user.primaryEmail}</strong>,
            })
          : t('Add an email address to your account first.')}
      </p>
    </MessageCard>
  );
}
