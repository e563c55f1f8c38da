import { errorText } from '@gatebook/js/error-text';
import { useProductName, useUser } from './context.ts';
import { AlertIcon, CheckIcon, DoorIcon, MailIcon, PersonIcon } from './icons.tsx';
import { MessageCard } from './message-card.tsx';

const toHome = { label: 'Continue', to: 'home' } as const;

export function SignedInCard() {
  const user = useUser();
  const name = user.value?.displayName ?? user.value?.primaryEmail;
  return (
    <MessageCard
      title="You are signed in"
      icon={<PersonIcon />}
      primary={toHome}
      secondary={{ label: 'Sign out', to: 'signOut' }}
    >
      {name && (
        <>
          As <strong>{name}</strong>.
        </>
      )}
    </MessageCard>
  );
}

export function SignedOutCard() {
  return <MessageCard title="You are signed out" icon={<DoorIcon />} primary={{ label: 'Sign in', to: 'signIn' }} />;
}

export function SignUpDisabledCard() {
  const product = useProductName();
  return (
    <MessageCard
      title="Sign-up is closed"
      icon={<DoorIcon />}
      primary={{ label: 'Sign in', to: 'signIn' }}
      secondary={{ label: 'Home', to: 'home' }}
    >
      {product || 'This site'} takes no new accounts at the moment. Ask the people who run it for one.
    </MessageCard>
  );
}

export function EmailSentCard() {
  return (
    <MessageCard title="Check your mail" icon={<MailIcon />} tone="good" primary={{ label: 'Home', to: 'home' }}>
      If there is an account with this address, a message is on its way. If it does not arrive within a few minutes,
      check your spam folder.
    </MessageCard>
  );
}

export function PasswordResetCard() {
  return (
    <MessageCard
      title="Your password is changed"
      icon={<CheckIcon />}
      tone="good"
      primary={{ label: 'Sign in', to: 'signIn', noRedirectBack: true }}
    >
      Every device was signed out. Sign in with the new password.
    </MessageCard>
  );
}

/** For what nobody expected; the text says what is known about it. */
export function UnknownErrorCard({ error }: { error?: unknown }) {
  return (
    <MessageCard title="Something went wrong" icon={<AlertIcon />} tone="bad" primary={{ label: 'Home', to: 'home' }}>
      {error !== undefined && <p>{errorText(error)}</p>}
      <p>Please try again. If it stays like this, tell the people who run this site.</p>
    </MessageCard>
  );
}

type LinkFault = 'invalid' | 'expired' | 'used';

/** A link from a mail that leads nowhere any more; `what` names it, `next` says how to get another. */
export function DeadLinkCard({ fault, next }: { fault: LinkFault; next: string }) {
  const titles: Record<LinkFault, string> = {
    invalid: 'This link is not valid',
    expired: 'This link has expired',
    used: 'This link was used already',
  };
  const reasons: Record<LinkFault, string> = {
    invalid: 'Part of it may be missing.',
    expired: 'Links in mails work for a limited time only.',
    used: 'Each one works once.',
  };
  return (
    <MessageCard
      title={titles[fault]}
      icon={<AlertIcon />}
      tone="bad"
      {...(fault !== 'invalid' && { primary: { label: 'Go to sign-in', to: 'signIn' } as const })}
    >
      {reasons[fault]} {next}
    </MessageCard>
  );
}
