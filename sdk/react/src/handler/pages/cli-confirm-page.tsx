import { errorText } from '@gatebook/js/error-text';
import { AnswerError } from '@gatebook/js/errors';
import type { CurrentUser } from '@gatebook/js/users';
import { useEffect, useState } from 'react';
import { useAction } from '../../use-action.ts';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler, useProductName, useProject, useUser } from '../context.ts';
import { Button } from '../controls.tsx';
import { Card, LoadingCard } from '../frame.tsx';
import { AlertIcon, CheckIcon, TerminalIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

const title = 'Approve a terminal login?';
/** As many as a terminal shows, for comparing. */
const SHOWN_CHARACTERS = 6;

/** Lets a waiting command line in as this person, once they have seen what it is about (client.md §3.13). */
export function CliConfirmPage() {
  const { app, url } = useHandler();
  const user = useUser();
  const project = useProject();
  const isNobody = user.value === null;
  useEffect(() => {
    if (isNobody) void app.redirects.to('signIn', { replace: true });
  }, [isNobody, app]);
  const error = user.error ?? project.error;
  if (error !== undefined) return <UnknownErrorCard error={error} />;
  if (!user.value || !project.value) return <LoadingCard title={title} label="Loading" />;
  const loginCode = url.searchParams.get('login_code');
  if (!loginCode) {
    return (
      <MessageCard title="This link is not valid" icon={<AlertIcon />} tone="bad">
        It ends in a long code. Copy the whole link from your terminal.
      </MessageCard>
    );
  }
  return <Confirm loginCode={loginCode} user={user.value} />;
}

type State = 'asking' | 'approved' | 'cancelled';

function Confirm({ loginCode, user }: { loginCode: string; user: CurrentUser }) {
  const { app } = useHandler();
  const [state, setState] = useState<State>('asking');
  const approve = useAction(async () => {
    const tokens = await app.session.tokens();
    if (!tokens) throw new Error('Your session is over. Sign in again, then open the link once more.');
    await app.cliLogin.complete({ loginCode, refreshToken: tokens.refreshToken });
    setState('approved');
  });
  if (state === 'approved') {
    return (
      <ClosingCard title="Your terminal is signed in" icon={<CheckIcon />} tone="good">
        Go back to your terminal. It has a session of its own, which lasts until you log out there.
      </ClosingCard>
    );
  }
  if (state === 'cancelled') {
    return (
      <ClosingCard title="Login cancelled" icon={<TerminalIcon />} tone="plain">
        The command line keeps waiting until its code expires, and gets nothing.
      </ClosingCard>
    );
  }
  if (approve.error !== undefined) {
    return (
      <MessageCard
        title="This did not work"
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
      lead="A command-line program asks to act in your name. It will be able to do everything that you can."
      takesFocus
    >
      <What loginCode={loginCode} user={user} />
      <p className="gbh-warning">
        Approve this only if you started it yourself, just now, and your terminal shows the same characters. If somebody
        sent you this link, cancel.
      </p>
      <div className="gbh-actions">
        <Button onClick={() => void approve.run()} isBusy={approve.isRunning}>
          Approve
        </Button>
        <Button tone="plain" onClick={() => setState('cancelled')}>
          Cancel
        </Button>
      </div>
    </Card>
  );
}

function What({ loginCode, user }: { loginCode: string; user: CurrentUser }) {
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

/** Browsers close only windows that a script has opened: the text must do without. */
function ClosingCard({ children, ...rest }: ClosingProps) {
  const [hasTried, setTried] = useState(false);
  const close = () => {
    globalThis.close();
    setTried(true);
  };
  return (
    <MessageCard {...rest} {...(!hasTried && { primary: { label: 'Close this page', onPress: close } })}>
      <p>{children}</p>
      {hasTried && <p role="status">Your browser keeps it open; close the tab by hand.</p>}
    </MessageCard>
  );
}
