import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useResource } from '../../use-resource.ts';
import { LoadingCard } from '../card.tsx';
import { DeadLinkCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { codeFault } from '../error-messages.ts';
import { CheckIcon, PersonIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

const title = 'Team invitation';

/** Shows the team and asks before joining; opening the link joins nothing (protocol, client §3.12). */
export function TeamInvitationPage() {
  const { t } = useTexts();
  const { url } = useHandler();
  const user = useUser();
  const code = url.searchParams.get('code');
  if (!code) return <DeadLinkCard fault="invalid" next={t('Open it again from the email.')} />;
  if (user.error !== undefined) return <UnknownErrorCard error={user.error} />;
  if (user.value === undefined) return <LoadingCard title={t(title)} label={t('Loading')} />;
  if (user.value === null) {
    return (
      <MessageCard
        title={t("You've been invited to a team")}
        icon={<PersonIcon />}
        primary={{ label: t('Sign in'), to: 'signIn', returnsHere: true }}
        secondary={{ label: t('Not now'), to: 'home' }}
      >
        {t('Sign in or create an account to see the team and join it.')}
      </MessageCard>
    );
  }
  return <Invitation code={code} />;
}

function Invitation({ code }: { code: string }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const found = useResource(['team-invitation', code], async () => {
    await app.teamInvitations.check(code);
    return app.teamInvitations.find(code);
  });
  const [isMember, setMember] = useState(false);
  const join = useAction(async () => {
    await app.teamInvitations.accept(code);
    setMember(true);
  });
  const fault = codeFault(found.error);
  if (fault !== null) return <DeadLinkCard fault={fault} next={t('Ask for a new invitation.')} />;
  const error = found.error ?? join.error;
  if (error !== undefined) return <UnknownErrorCard error={error} />;
  if (!found.value) return <LoadingCard title={t(title)} label={t('Loading')} />;
  const { teamDisplayName } = found.value;
  if (isMember) {
    return (
      <MessageCard
        title={t('You joined {team}', { team: teamDisplayName })}
        icon={<CheckIcon />}
        tone="good"
        primary={{ label: t('Continue'), to: 'home' }}
      >
        {t('You are now a member of this team.')}
      </MessageCard>
    );
  }
  return (
    <MessageCard
      title={t('Join {team}?', { team: teamDisplayName })}
      icon={<PersonIcon />}
      primary={{ label: t('Join team'), onPress: () => void join.run(), isBusy: join.isRunning }}
      secondary={{ label: t('Not now'), to: 'home' }}
    >
      {t("You've been invited to this team. Its members can see your name and profile picture.")}
    </MessageCard>
  );
}
