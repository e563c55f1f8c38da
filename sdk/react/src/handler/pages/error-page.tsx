import { isRelativeUrl, returnParameter } from '@gatebook/js/core';
import { isKnownErrorCode, type KnownErrorCode } from '@gatebook/js/errors';
import type { PlainText } from '../../texts/texts.ts';
import { useTexts } from '../../texts/use-texts.ts';
import { SignUpDisabledCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { AlertIcon } from '../icons.tsx';
import { type CardAction, MessageCard } from '../message-card.tsx';

type Message = { title: PlainText; text: PlainText; isRetried?: boolean };

const notLinked = 'Account not linked';

/** Other errors show the server's message and code. */
const texts: Partial<Record<KnownErrorCode, Message>> = {
  OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER: {
    title: notLinked,
    text: 'This provider account is already linked to another user.',
  },
  USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION: {
    title: notLinked,
    text: 'You have already linked another account from this provider.',
  },
  OAUTH_PROVIDER_ACCESS_DENIED: {
    title: 'Sign-in failed',
    text: 'Sign-in was canceled or denied by the provider.',
    isRetried: true,
  },
  CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE: {
    title: 'Account already exists',
    text: 'Another account uses this email address. If it is yours, sign in as usual, then link the provider in your account settings.',
    isRetried: true,
  },
};

/** The server redirects here when a sign-in at a provider fails (protocol, client §3.11). */
export function ErrorPage() {
  const { t, translate } = useTexts();
  const { url } = useHandler();
  const isSignedIn = Boolean(useUser().value);
  const code = url.searchParams.get('errorCode');
  const message = url.searchParams.get('message');
  const isComplete = code && message && isKnownErrorCode(code) && isJson(url.searchParams.get('details') ?? '{}');
  if (!isComplete) return <UnknownErrorCard />;
  if (code === 'SIGN_UP_NOT_ENABLED') return <SignUpDisabledCard />;
  const known = texts[code];
  const isRetried = known?.isRetried || code === 'OUTER_OAUTH_TIMEOUT';
  const returnTo = url.searchParams.get(returnParameter);
  // A signed-in user was linking an account and returns to the page where that began.
  const hasWayBack = isSignedIn && returnTo !== null && isRelativeUrl(returnTo);
  const home: CardAction = { label: t('Home'), to: 'home' };
  const next: CardAction = hasWayBack
    ? { label: t('Back'), to: 'afterSignIn' }
    : isRetried && !isSignedIn
      ? { label: t('Sign in again'), to: 'signIn' }
      : home;
  const title = isSignedIn && isRetried ? notLinked : (known?.title ?? 'Something went wrong');
  return (
    <MessageCard
      title={t(title)}
      icon={<AlertIcon />}
      tone="bad"
      primary={next}
      {...(next !== home && { secondary: home })}
    >
      {known ? (
        t(known.text)
      ) : (
        <>
          <p>{translate(message)}</p>
          <p className="gbh-code-name">{code}</p>
        </>
      )}
    </MessageCard>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
