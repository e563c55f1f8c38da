import { errorText } from '@gatebook/js/core';
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
          Signed in as <strong>{name}</strong>.
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
      {product || 'This site'} is not accepting new accounts. Contact the site owner.
    </MessageCard>
  );
}

export function EmailSentCard() {
  return (
    <MessageCard title="Check your email" icon={<MailIcon />} tone="good" primary={{ label: 'Home', to: 'home' }}>
      If an account with this address exists, we sent an email to it. If it doesn't arrive within a few minutes, check
      your spam folder.
    </MessageCard>
  );
}

export function PasswordResetCard() {
  return (
    <MessageCard
      title="Password changed"
      icon={<CheckIcon />}
      tone="good"
      primary={{ label: 'Sign in', to: 'signIn', noRedirectBack: true }}
    >
      You are signed out on all devices. Sign in with your new password.
    </MessageCard>
  );
}

/** For unexpected errors. */
export function UnknownErrorCard({ error }: { error?: unknown }) {
  return (
    <MessageCard title="Something went wrong" icon={<AlertIcon />} tone="bad" primary={{ label: 'Home', to: 'home' }}>
      {error !== undefined && <p>{errorText(error)}</p>}
      <p>Please try again. If this keeps happening, contact support.</p>
    </MessageCard>
  );
}

type LinkFault = 'invalid' | 'expired' | 'used';

/** A link from an email that no longer works; `next` says how to get a new one. */
export function DeadLinkCard({ fault, next }: { fault: LinkFault; next: string }) {
  const titles: Record<LinkFault, string> = {
    invalid: 'This link is invalid',
    expired: 'This link has expired',
    used: 'This link has already been used',
  };
  const reasons: Record<LinkFault, string> = {
    invalid: 'Part of the link may be missing.',
    expired: 'Links in emails expire after a while.',
    used: 'Each link works only once.',
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
