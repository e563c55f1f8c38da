import { isKnownErrorCode } from '../../../error-codes.ts';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler } from '../context.ts';
import { AlertIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

const toHome = { label: 'Home', to: 'home' } as const;

/** Where the server sends a browser whose sign-in has failed on the way (client.md §3.11). */
export function ErrorPage() {
  const { url } = useHandler();
  const code = url.searchParams.get('errorCode');
  const message = url.searchParams.get('message');
  const isWhole = code && message && isKnownErrorCode(code) && isJson(url.searchParams.get('details') ?? '{}');
  if (!isWhole) return <UnknownErrorCard />;
  switch (code) {
    case 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER':
      return (
        <MessageCard title="Account not linked" icon={<AlertIcon />} tone="bad" primary={toHome}>
          This account belongs to somebody else here already.
        </MessageCard>
      );
    case 'USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION':
      return (
        <MessageCard title="Account not linked" icon={<AlertIcon />} tone="bad" primary={toHome}>
          You have linked another account of this provider already.
        </MessageCard>
      );
    case 'OAUTH_PROVIDER_ACCESS_DENIED':
      return (
        <MessageCard
          title="You were not signed in"
          icon={<AlertIcon />}
          tone="bad"
          primary={{ label: 'Sign in again', to: 'signIn' }}
          secondary={toHome}
        >
          It was cancelled, or the provider did not agree.
        </MessageCard>
      );
    default:
      return (
        <MessageCard title="Something went wrong" icon={<AlertIcon />} tone="bad" primary={toHome}>
          <p>{message}</p>
          <p className="gbh-code-name">{code}</p>
        </MessageCard>
      );
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
