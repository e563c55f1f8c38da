import { useState } from 'react';
import { useAction } from '../../use-action.ts';
import { useResource } from '../../use-resource.ts';
import { DeadLinkCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { LoadingCard } from '../frame.tsx';
import { CheckIcon, PersonIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';
import { codeFault } from '../words.ts';

const title = 'Team invitation';

/** Names the team before anybody joins it; opening the link does not (client.md §3.12). */
export function TeamInvitationPage() {
  const { url } = useHandler();
  const user = useUser();
  const code = url.searchParams.get('code');
  if (!code) return <DeadLinkCard fault="invalid" next="Open it again from the mail." />;
  if (user.error !== undefined) return <UnknownErrorCard error={user.error} />;
  if (user.value === undefined) return <LoadingCard title={title} label="Loading" />;
  if (user.value === null) {
    return (
      <MessageCard
        title="You are invited to a team"
        icon={<PersonIcon />}
        primary={{ label: 'Sign in', to: 'signIn', returnsHere: true }}
        secondary={{ label: 'Not now', to: 'home' }}
      >
        Sign in, or make an account, to see which team it is and to join it.
      </MessageCard>
    );
  }
  return <Invitation code={code} />;
}

function Invitation({ code }: { code: string }) {
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
  if (fault !== null) return <DeadLinkCard fault={fault} next="Ask for another invitation." />;
  const error = found.error ?? join.error;
  if (error !== undefined) return <UnknownErrorCard error={error} />;
  if (!found.value) return <LoadingCard title={title} label="Loading" />;
  const { teamDisplayName } = found.value;
  if (isMember) {
    return (
      <MessageCard
        title={`You are in ${teamDisplayName}`}
        icon={<CheckIcon />}
        tone="good"
        primary={{ label: 'Continue', to: 'home' }}
      >
        You have joined the team.
      </MessageCard>
    );
  }
  return (
    <MessageCard
      title={`Join ${teamDisplayName}?`}
      icon={<PersonIcon />}
      primary={{ label: 'Join the team', onPress: () => void join.run(), isBusy: join.isRunning }}
      secondary={{ label: 'Not now', to: 'home' }}
    >
      You are invited to this team. Its members may see your name and your image.
    </MessageCard>
  );
}
