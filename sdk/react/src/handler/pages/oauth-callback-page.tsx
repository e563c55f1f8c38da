import { errorText } from '@gatebook/js/error-text';
import { useEffect, useRef } from 'react';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { PageLink } from '../controls.tsx';
import { Card } from '../frame.tsx';
import { AlertIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';
import { SignInStages } from '../stages.tsx';
import { useElapsed } from '../use-elapsed.ts';
import { useSignIn } from '../use-sign-in.ts';

const title = 'Signing in';
/** Somebody who still waits then gets a way out (client.md §3.8). */
const WAY_OUT_AFTER_MS = 3_000;

/** Where a provider's answer comes in: by way of the server, to be taken once. */
export function OAuthCallbackPage() {
  const { app } = useHandler();
  const signIn = useSignIn();
  // The answer is used up: what starts over is the sign-in page.
  const startOver = () => void app.redirects.to('signIn', { replace: true, returnsHere: false });
  return (
    <SignInStages signIn={{ ...signIn, startOver }} title={title}>
      <Finish through={signIn.through} />
    </SignInStages>
  );
}

function Finish({ through }: Pick<ReturnType<typeof useSignIn>, 'through'>) {
  const { app } = useHandler();
  const begun = useRef(false);
  const finish = useAction(() =>
    through(async () => {
      const signedIn = await app.oauth.finishOAuth();
      if (signedIn !== null) return signedIn;
      await app.redirects.to('signIn', { replace: true, noRedirectBack: true });
      throw new Error('There is no sign-in to finish here.');
    }),
  );
  const { run } = finish;
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    void run();
  }, [run]);
  if (finish.error !== undefined) {
    return (
      <MessageCard
        title="You were not signed in"
        icon={<AlertIcon />}
        tone="bad"
        primary={{ label: 'Sign in again', to: 'signIn' }}
        secondary={{ label: 'Home', to: 'home' }}
      >
        {errorText(finish.error)}
      </MessageCard>
    );
  }
  return <Waiting />;
}

function Waiting() {
  const isLong = useElapsed(WAY_OUT_AFTER_MS, title);
  return (
    <Card title={title}>
      <p className="gbh-waiting" role="status">
        <span className="gbh-spinner" aria-hidden="true" />
        One moment.
      </p>
      {isLong && (
        <p className="gbh-text">
          This takes longer than it should. <PageLink to="home">Go to the home page</PageLink>
        </p>
      )}
    </Card>
  );
}
