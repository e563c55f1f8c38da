import { useEffect, useRef } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { Card } from '../card.tsx';
import { useHandler } from '../context.ts';
import { PageLink } from '../controls.tsx';
import { AlertIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';
import { SignInStages } from '../stages.tsx';
import { useElapsed } from '../use-elapsed.ts';
import { type RunSignIn, useSignIn } from '../use-sign-in.ts';

const title = 'Signing in';
/** After this time the page offers a link home (protocol, client §3.8). */
const WAY_OUT_AFTER_MS = 3_000;

/** The server redirects here after a sign-in at a provider. The code in the URL can be redeemed once. */
export function OAuthCallbackPage() {
  const { t } = useTexts();
  const { app } = useHandler();
  const signIn = useSignIn();
  // The code is spent, so starting over means the sign-in page.
  const startOver = () => void app.redirects.to('signIn', { replace: true, returnsHere: false });
  return (
    <SignInStages signIn={{ ...signIn, startOver }} title={t(title)}>
      <Finish runSignIn={signIn.runSignIn} />
    </SignInStages>
  );
}

function Finish({ runSignIn }: { runSignIn: RunSignIn }) {
  const { t, errorText } = useTexts();
  const { app } = useHandler();
  const hasStarted = useRef(false);
  const finish = useAction(() =>
    runSignIn(async () => {
      const signedIn = await app.oauth.finishOAuth();
      if (signedIn !== null) return signedIn;
      await app.redirects.to('signIn', { replace: true, noRedirectBack: true });
      throw new Error(t('No sign-in is in progress.'));
    }),
  );
  const { run } = finish;
  useEffect(() => {
    if (hasStarted.current) return;
    hasStarted.current = true;
    void run();
  }, [run]);
  if (finish.error !== undefined) {
    return (
      <MessageCard
        title={t('Sign-in failed')}
        icon={<AlertIcon />}
        tone="bad"
        primary={{ label: t('Sign in again'), to: 'signIn' }}
        secondary={{ label: t('Home'), to: 'home' }}
      >
        {errorText(finish.error)}
      </MessageCard>
    );
  }
  return <Waiting />;
}

function Waiting() {
  const { t, rich } = useTexts();
  const isLong = useElapsed(WAY_OUT_AFTER_MS, title);
  return (
    <Card title={t(title)}>
      <p className="gbh-waiting" role="status">
        <span className="gbh-spinner" aria-hidden="true" />
        {t('One moment.')}
      </p>
      {isLong && (
        <p className="gbh-text">
          {rich('This is taking longer than expected. {link}', {
            link: <PageLink to="home">{t('Go to the home page')}</PageLink>,
          })}
        </p>
      )}
    </Card>
  );
}
