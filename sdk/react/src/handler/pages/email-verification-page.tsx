import { isKnownError } from '@gatebook/js/errors';
import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useResourceCache } from '../../use-resource.ts';
import { LoadingCard } from '../card.tsx';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { codeFault } from '../error-messages.ts';
import { AlertIcon, CheckIcon, MailIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

const title = 'Verify your email address';

/**
 * The button redeems the code; opening the link does not, because mail scanners open links too (protocol, client §3.5).
 * Verifying with a session changes nothing else. Without a session it removes what someone else may have set up, so the
 * page offers sign-in first.
 */
export function EmailVerificationPage() {
  const { t } = useTexts();
  const { app, url } = useHandler();
  const cache = useResourceCache();
  const user = useUser();
  const [verified, setVerified] = useState<'with session' | 'without session' | null>(null);
  const code = url.searchParams.get('code');
  const isSignedIn = Boolean(user.value);
  const verify = useAction(async () => {
    try {
      await app.auth.verifyEmail(code ?? '');
      setVerified(isSignedIn ? 'with session' : 'without session');
    } catch (error) {
      if (!isKnownError(error, 'VERIFICATION_CODE_ALREADY_USED')) throw error;
      setVerified('with session');
    }
    await cache.invalidate(['user']);
  });
  if (verified === 'with session') {
    return (
      <MessageCard
        title={t('Email verified')}
        icon={<CheckIcon />}
        tone="good"
        primary={{ label: t('Continue'), to: 'home' }}
      >
        {t('Thank you for verifying your email address.')}
      </MessageCard>
    );
  }
  if (verified === 'without session') {
    return (
      <MessageCard
        title={t('Email verified')}
        icon={<CheckIcon />}
        tone="good"
        primary={{ label: t('Set a new password'), to: 'forgotPassword' }}
        secondary={{ label: t('Sign in another way'), to: 'signIn' }}
      >
        {t(
          'To protect your account, a password that was set before verification may have been removed. Set a new one to sign in with a password.',
        )}
      </MessageCard>
    );
  }
  const fault = code ? codeFault(verify.error) : 'invalid';
  if (fault === 'invalid') {
    return (
      <MessageCard title={t('This link is invalid')} icon={<AlertIcon />} tone="bad">
        {t('Part of the link may be missing. Open it again from the email.')}
      </MessageCard>
    );
  }
  if (fault !== null) {
    return (
      <MessageCard
        title={t('This link has expired')}
        icon={<AlertIcon />}
        tone="bad"
        primary={{ label: t('Continue'), to: 'home' }}
      >
        {t('Request a new verification email in your account settings.')}
      </MessageCard>
    );
  }
  const error = verify.error ?? user.error;
  if (error !== undefined) return <UnknownErrorCard error={error} />;
  if (user.value === undefined) return <LoadingCard title={t(title)} label={t('Loading')} />;
  if (user.value === null) {
    return (
      <MessageCard
        title={t(title)}
        icon={<MailIcon />}
        primary={{ label: t('Sign in and verify'), to: 'signIn', returnsHere: true }}
        secondary={{
          label: t('Verify without signing in'),
          onPress: () => void verify.run(),
          isBusy: verify.isRunning,
        }}
      >
        {t(
          "Sign in to verify your email address and keep your account unchanged. If you didn't create this account or can't sign in, verify without signing in: this removes the account's password and signs it out everywhere. You can then set a new password.",
        )}
      </MessageCard>
    );
  }
  return (
    <MessageCard
      title={t(title)}
      icon={<MailIcon />}
      primary={{ label: t('Verify email'), onPress: () => void verify.run(), isBusy: verify.isRunning }}
      secondary={{ label: t('Cancel'), to: 'home' }}
    >
      {t('Confirm that you received the email with this link.')}{' '}
      {user.value.primaryEmail &&
        t('You are signed in as {email}. If the email is for another account, sign in to that account first.', {
          email: user.value.primaryEmail,
        })}
    </MessageCard>
  );
}
