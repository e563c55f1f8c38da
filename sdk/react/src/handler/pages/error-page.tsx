import { isKnownErrorCode, type KnownErrorCode } from '@gatebook/js/error-codes';
import { returnParameter } from '@gatebook/js/redirects';
import { isRelativeUrl } from '@gatebook/js/urls';
import { SignUpDisabledCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { AlertIcon } from '../icons.tsx';
import { type CardAction, MessageCard } from '../message-card.tsx';

type Text = { title: string; text: string; isRetried?: boolean };
const home: CardAction = { label: 'Home', to: 'home' };
const again: CardAction = { label: 'Sign in again', to: 'signIn' };
const back: CardAction = { label: 'Back', to: 'afterSignIn' };

const notLinked = 'Account not linked';

/** What is said in words of our own; of everything else, the server's message and the code. */
const texts: Partial<Record<KnownErrorCode, Text>> = {
  OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER: {
    title: notLinked,
    text: 'This account belongs to somebody else here already.',
  },
  USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION: {
    title: notLinked,
    text: 'You have linked another account of this provider already.',
  },
  OAUTH_PROVIDER_ACCESS_DENIED: {
    title: 'You were not signed in',
    text: 'It was cancelled, or the provider did not agree.',
    isRetried: true,
  },
  CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE: {
    title: 'There is an account already',
    text: 'Somebody signs in here with the address that the provider names. If that is you, sign in as before; the provider can be linked in your account then.',
    isRetried: true,
  },
};

/** Where the server sends a browser whose sign-in has failed on the way (client.md §3.11). */
export function ErrorPage() {
  const { url } = useHandler();
  const isSignedIn = Boolean(useUser().value);
  const code = url.searchParams.get('errorCode');
  const message = url.searchParams.get('message');
  const isWhole = code && message && isKnownErrorCode(code) && isJson(url.searchParams.get('details') ?? '{}');
  if (!isWhole) return <UnknownErrorCard />;
  if (code === 'SIGN_UP_NOT_ENABLED') return <SignUpDisabledCard />;
  const known = texts[code];
  const isRetried = known?.isRetried || code === 'OUTER_OAUTH_TIMEOUT';
  const returnTo = url.searchParams.get(returnParameter);
  // Somebody who is signed in was linking an account, and goes back to where that began.
  const hasWayBack = isSignedIn && returnTo !== null && isRelativeUrl(returnTo);
  const next = hasWayBack ? back : isRetried && !isSignedIn ? again : home;
  const title = isSignedIn && isRetried ? notLinked : (known?.title ?? 'Something went wrong');
  return (
    <MessageCard
      title={title}
      icon={<AlertIcon />}
      tone="bad"
      primary={next}
      {...(next !== home && { secondary: home })}
    >
      {known?.text ?? (
        <>
          <p>{message}</p>
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
