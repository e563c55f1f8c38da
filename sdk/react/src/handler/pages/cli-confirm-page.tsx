import { type CurrentUser, errorText } from '@gatebook/js/core';
import { AnswerError } from '@gatebook/js/errors';
import { useEffect, useState } from 'react';
import { useAction } from '../../use-action.ts';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler, useProductName, useProject, useUser } from '../context.ts';
import { Button } from '../controls.tsx';
import { Card, LoadingCard } from '../frame.tsx';
import { AlertIcon, CheckIcon, TerminalIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

const title = 'Approve CLI login?';
/** As many as the terminal shows, to compare. */
const SHOWN_CHARACTERS = 6;

/** Signs in the waiting CLI as this user once they approve (protocol, client §3.13). */
export function CliConfirmPage() {
  const { app, url } = useHandler();
  const user = useUser();
  const project = useProject();
  const isSignedOut = user.value === null;
  useEffect(() => {
    if (isSignedOut) void app.redirects.to('signIn', { replace: true });
  }, [isSignedOut, app]);
  const error = user.error ?? project.error;
  if (error !== undefined) return <UnknownErrorCard error={error} />;
  if (!user.value || !project.value) return <LoadingCard title={title} label="Loading" />;
  const loginCode = url.searchParams.get('login_code');
  if (!loginCode) {
    return (
      <MessageCard title="This link is invalid" icon={<AlertIcon />} tone="bad">
        The login code is missing. Copy the complete link from your terminal.
      </MessageCard>
    );
  }
  return <Confirm loginCode={loginCode} user={user.value} />;
}

type State = 'asking' | 'approved' | 'canceled';

function Confirm({ loginCode, user }: { loginCode: string; user: CurrentUser }) {
  const { app } = useHandler();
  const [state, setState] = useState<State>('asking');
  const approve = useAction(async () => {
    const tokens = await app.session.tokens();
    if (!tokens) throw new Error('Your session has expired. Sign in again, then open the link again.');
    await app.cliLogin.complete({ loginCode, refreshToken: tokens.refreshToken });
    setState('approved');
  });
  if (state === 'approved') {
    return (
      <ClosingCard title="Your terminal is signed in" icon={<CheckIcon />} tone="good">
        Return to your terminal. Its session is separate from this one and lasts until you log out there.
      </ClosingCard>
    );
  }
  if (state === 'canceled') {
    return (
      <ClosingCard title="Login canceled" icon={<TerminalIcon />} tone="plain">
        The CLI was not signed in. It stops waiting when its code expires.
      </ClosingCard>
    );
  }
  if (approve.error !== undefined) {
    return (
      <MessageCard
        title="CLI login failed"
        icon={<AlertIcon />}
        tone="bad"
        primary={{ label: 'Try again', onPress: approve.reset }}
        secondary={{ label: 'Close this page', onPress: () => globalThis.close() }}
      >
        {approve.error instanceof AnswerError ? approve.error.body : errorText(approve.error)}
      </MessageCard>
    );
  }
  return (
    <Card
      title={title}
      icon={<TerminalIcon />}
      lead="A command-line program is requesting access to your account. It will be able to do everything you can."
      takesFocus
    >
      <LoginFacts loginCode={loginCode} user={user} />
      <p className="gbh-warning">
        Approve only if you just started this login yourself and your terminal shows the same characters. If someone
        sent you this link, cancel.
      </p>
      <div className="gbh-actions">
        <Button onClick={() => void approve.run()} isBusy={approve.isRunning}>
          Approve
        </Button>
        <Button tone="plain" onClick={() => setState('canceled')}>
          Cancel
        </Button>
      </div>
    </Card>
  );
}

function LoginFacts({ loginCode, user }: { loginCode: string; user: CurrentUser }) {
  const product = useProductName();
  const project = useProject();
  const email = user.primaryEmail;
  return (
    <dl className="gbh-facts">
      <div>
        <dt>Project</dt>
        <dd>
          {project.value?.displayName ?? product}
          <small>{project.value?.id}</small>
        </dd>
      </div>
      <div>
        <dt>Account</dt>
        <dd>
          {user.displayName ?? email ?? user.id}
          {user.displayName && email && <small>{email}</small>}
        </dd>
      </div>
      <div>
        <dt>Code ends in</dt>
        <dd className="gbh-mono">{loginCode.slice(-SHOWN_CHARACTERS)}</dd>
      </div>
    </dl>
  );
}

type ClosingProps = { title: string; icon: React.ReactNode; tone: 'good' | 'plain'; children: React.ReactNode };

/** Browsers let scripts close only windows that a script opened, so closing may fail. */
function ClosingCard({ children, ...rest }: ClosingProps) {
  const [hasTried, setTried] = useState(false);
  const close = () => {
    globalThis.close();
    setTried(true);
  };
  return (
    <MessageCard {...rest} {...(!hasTried && { primary: { label: 'Close this page', onPress: close } })}>
      <p>{children}</p>
      {hasTried && <p role="status">Your browser kept this page open. Close the tab yourself.</p>}
    </MessageCard>
  );
}
