import type { CurrentUser } from '@gatebook/js/core';
import { AnswerError } from '@gatebook/js/errors';
import { useEffect, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { approveCliLogin } from '../approve-cli-login.ts';
import { Card, LoadingCard } from '../card.tsx';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler, useProductName, useProject, useUser } from '../context.ts';
import { Button } from '../controls.tsx';
import { AlertIcon, CheckIcon, TerminalIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

const title = 'Approve CLI login?';
/** As many as the terminal shows, to compare. */
const SHOWN_CHARACTERS = 6;

/** Signs in the waiting CLI as this user once they approve (protocol, client §3.13). */
export function CliConfirmPage() {
  const { t } = useTexts();
  const { app, url } = useHandler();
  const user = useUser();
  const project = useProject();
  const isSignedOut = user.value === null;
  useEffect(() => {
    if (isSignedOut) void app.redirects.to('signIn', { replace: true });
  }, [isSignedOut, app]);
  const error = user.error ?? project.error;
  if (error !== undefined) return <UnknownErrorCard error={error} />;
  if (!user.value || !project.value) return <LoadingCard title={t(title)} label={t('Loading')} />;
  const loginCode = url.searchParams.get('login_code');
  if (!loginCode) {
    return (
      <MessageCard title={t('This link is invalid')} icon={<AlertIcon />} tone="bad">
        {t('The login code is missing. Copy the complete link from your terminal.')}
      </MessageCard>
    );
  }
  return <Confirm loginCode={loginCode} user={user.value} />;
}

type State = 'asking' | 'approved' | 'canceled';

function Confirm({ loginCode, user }: { loginCode: string; user: CurrentUser }) {
  const { t, errorText } = useTexts();
  const { app } = useHandler();
  const [state, setState] = useState<State>('asking');
  const approve = useAction(async () => {
    await approveCliLogin(app, loginCode);
    setState('approved');
  });
  if (state === 'approved') {
    return (
      <ClosingCard title={t('Your terminal is signed in')} icon={<CheckIcon />} tone="good">
        {t('Return to your terminal. Its session is separate from this one and lasts until you log out there.')}
      </ClosingCard>
    );
  }
  if (state === 'canceled') {
    return (
      <ClosingCard title={t('Login canceled')} icon={<TerminalIcon />} tone="plain">
        {t('The CLI was not signed in. It stops waiting when its code expires.')}
      </ClosingCard>
    );
  }
  if (approve.error !== undefined) {
    return (
      <MessageCard
        title={t('CLI login failed')}
        icon={<AlertIcon />}
        tone="bad"
        primary={{ label: t('Try again'), onPress: approve.reset }}
        secondary={{ label: t('Close this page'), onPress: () => globalThis.close() }}
      >
        {approve.error instanceof AnswerError ? approve.error.body : errorText(approve.error)}
      </MessageCard>
    );
  }
  return (
    <Card
      title={t(title)}
      icon={<TerminalIcon />}
      lead={t('A command-line program is requesting access to your account. It will be able to do everything you can.')}
      takesFocus
    >
      <LoginFacts loginCode={loginCode} user={user} />
      <p className="gbh-warning">
        {t(
          'Approve only if you just started this login yourself and your terminal shows the same characters. If someone sent you this link, cancel.',
        )}
      </p>
      <div className="gbh-actions">
        <Button onClick={() => void approve.run()} isBusy={approve.isRunning}>
          {t('Approve')}
        </Button>
        <Button tone="plain" onClick={() => setState('canceled')}>
          {t('Cancel')}
        </Button>
      </div>
    </Card>
  );
}

function LoginFacts({ loginCode, user }: { loginCode: string; user: CurrentUser }) {
  const { t } = useTexts();
  const product = useProductName();
  const project = useProject();
  const email = user.primaryEmail;
  return (
    <dl className="gbh-facts">
      <div>
        <dt>{t('Project')}</dt>
        <dd>
          {project.value?.displayName ?? product}
          <small>{project.value?.id}</small>
        </dd>
      </div>
      <div>
        <dt>{t('Account')}</dt>
        <dd>
          {user.displayName ?? email ?? user.id}
          {user.displayName && email && <small>{email}</small>}
        </dd>
      </div>
      <div>
        <dt>{t('Code ends in')}</dt>
        <dd className="gbh-mono">{loginCode.slice(-SHOWN_CHARACTERS)}</dd>
      </div>
    </dl>
  );
}

type ClosingProps = { title: string; icon: React.ReactNode; tone: 'good' | 'plain'; children: React.ReactNode };

/** Browsers let scripts close only windows that a script opened, so closing may fail. */
function ClosingCard({ children, ...rest }: ClosingProps) {
  const { t } = useTexts();
  const [hasTried, setTried] = useState(false);
  const close = () => {
    globalThis.close();
    setTried(true);
  };
  return (
    <MessageCard {...rest} {...(!hasTried && { primary: { label: t('Close this page'), onPress: close } })}>
      <p>{children}</p>
      {hasTried && <p role="status">{t('Your browser kept this page open. Close the tab yourself.')}</p>}
    </MessageCard>
  );
}
