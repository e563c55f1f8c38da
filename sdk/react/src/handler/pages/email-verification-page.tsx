import { isKnownError } from '@gatebook/js/errors';
import { useState } from 'react';
import { useAction } from '../../use-action.ts';
import { useResourceCache } from '../../use-resource.ts';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { LoadingCard } from '../frame.tsx';
import { AlertIcon, CheckIcon, MailIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';
import { codeFault } from '../words.ts';

const question = 'Is this your address?';

/**
 * Opening the link does nothing, so that a mail scanner uses nothing up: the button does (client.md §3.5). Confirming with a session
 * changes nothing else; without one it removes what somebody else may have set up, so signing in comes first.
 */
export function EmailVerificationPage() {
  const { app, url } = useHandler();
  const cache = useResourceCache();
  const user = useUser();
  const [confirmed, setConfirmed] = useState<'with session' | 'without session' | null>(null);
  const code = url.searchParams.get('code');
  const isSignedIn = Boolean(user.value);
  const verify = useAction(async () => {
    try {
      await app.auth.verifyEmail(code ?? '');
      setConfirmed(isSignedIn ? 'with session' : 'without session');
    } catch (error) {
      if (!isKnownError(error, 'VERIFICATION_CODE_ALREADY_USED')) throw error;
      setConfirmed('with session');
    }
    await cache.invalidate(['user']);
  });
  if (confirmed === 'with session') {
    return (
      <MessageCard
        title="Your address is confirmed"
        icon={<CheckIcon />}
        tone="good"
        primary={{ label: 'Continue', to: 'home' }}
      >
        Thank you. There is nothing else to do.
      </MessageCard>
    );
  }
  if (confirmed === 'without session') {
    return (
      <MessageCard
        title="Your address is confirmed"
        icon={<CheckIcon />}
        tone="good"
        primary={{ label: 'Set a new password', to: 'forgotPassword' }}
        secondary={{ label: 'Sign in another way', to: 'signIn' }}
      >
        To protect you, the password that was set before you confirmed the address may have been removed. Set a new one
        to sign in with a password.
      </MessageCard>
    );
  }
  const fault = code ? codeFault(verify.error) : 'invalid';
  if (fault === 'invalid') {
    return (
      <MessageCard title="This link is not valid" icon={<AlertIcon />} tone="bad">
        Part of it may be missing. Open it again from the mail.
      </MessageCard>
    );
  }
  if (fault !== null) {
    return (
      <MessageCard
        title="This link has expired"
        icon={<AlertIcon />}
        tone="bad"
        primary={{ label: 'Continue', to: 'home' }}
      >
        Ask for another mail in the settings of your account.
      </MessageCard>
    );
  }
  const error = verify.error ?? user.error;
  if (error !== undefined) return <UnknownErrorCard error={error} />;
  if (user.value === undefined) return <LoadingCard title={question} label="Loading" />;
  if (user.value === null) {
    return (
      <MessageCard
        title={question}
        icon={<MailIcon />}
        primary={{ label: 'Sign in and confirm', to: 'signIn', returnsHere: true }}
        secondary={{
          label: 'Confirm without signing in',
          onPress: () => void verify.run(),
          isBusy: verify.isRunning,
        }}
      >
        Sign in to confirm it and keep your account as it is. If you did not create this account, or can't sign in,
        confirm without signing in: this removes its password and signs it out everywhere. You can then set a new
        password.
      </MessageCard>
    );
  }
  return (
    <MessageCard
      title={question}
      icon={<MailIcon />}
      primary={{ label: 'Confirm my address', onPress: () => void verify.run(), isBusy: verify.isRunning }}
      secondary={{ label: 'Cancel', to: 'home' }}
    >
      Confirm that you received the mail with this link.
      {user.value.primaryEmail &&
        ` You are signed in as ${user.value.primaryEmail}: if the mail is for another account, sign in to that one first.`}
    </MessageCard>
  );
}
