import { useTexts } from '../texts/use-texts.ts';
import { useProductName, useUser } from './context.ts';
import { AlertIcon, CheckIcon, DoorIcon, MailIcon, PersonIcon } from './icons.tsx';
import { MessageCard } from './message-card.tsx';

export function SignedInCard() {
  const { t, rich } = useTexts();
  const user = useUser();
  const name = user.value?.displayName ?? user.value?.primaryEmail;
  return (
    <MessageCard
      title={t('You are signed in')}
      icon={<PersonIcon />}
      primary={{ label: t('Continue'), to: 'home' }}
      secondary={{ label: t('Sign out'), to: 'signOut' }}
    >
      {name && <>{rich('Signed in as {name}.', { name: <strong>{name}</strong> })}</>}
    </MessageCard>
  );
}

export function SignedOutCard() {
  const { t } = useTexts();
  return (
    <MessageCard title={t('You are signed out')} icon={<DoorIcon />} primary={{ label: t('Sign in'), to: 'signIn' }} />
  );
}

export function SignUpDisabledCard() {
  const { t } = useTexts();
  const product = useProductName();
  return (
    <MessageCard
      title={t('Sign-up is closed')}
      icon={<DoorIcon />}
      primary={{ label: t('Sign in'), to: 'signIn' }}
      secondary={{ label: t('Home'), to: 'home' }}
    >
      {product
        ? t('{product} is not accepting new accounts. Contact the site owner.', { product })
        : t('This site is not accepting new accounts. Contact the site owner.')}
    </MessageCard>
  );
}

export function EmailSentCard() {
  const { t } = useTexts();
  return (
    <MessageCard
      title={t('Check your email')}
      icon={<MailIcon />}
      tone="good"
      primary={{ label: t('Home'), to: 'home' }}
    >
      {t(
        "If an account with this address exists, we sent an email to it. If it doesn't arrive within a few minutes, check your spam folder.",
      )}
    </MessageCard>
  );
}

export function PasswordResetCard() {
  const { t } = useTexts();
  return (
    <MessageCard
      title={t('Password changed')}
      icon={<CheckIcon />}
      tone="good"
      primary={{ label: t('Sign in'), to: 'signIn', noRedirectBack: true }}
    >
      {t('You are signed out on all devices. Sign in with your new password.')}
    </MessageCard>
  );
}

/** For unexpected errors. */
export function UnknownErrorCard({ error }: { error?: unknown }) {
  const { t, errorText } = useTexts();
  return (
    <MessageCard
      title={t('Something went wrong')}
      icon={<AlertIcon />}
      tone="bad"
      primary={{ label: t('Home'), to: 'home' }}
    >
      {error !== undefined && <p>{errorText(error)}</p>}
      <p>{t('Please try again. If this keeps happening, contact support.')}</p>
    </MessageCard>
  );
}

type LinkFault = 'invalid' | 'expired' | 'used';

/** A link from an email that no longer works; `next` says how to get a new one. */
export function DeadLinkCard({ fault, next }: { fault: LinkFault; next: string }) {
  const { t } = useTexts();
  const titles: Record<LinkFault, string> = {
    invalid: t('This link is invalid'),
    expired: t('This link has expired'),
    used: t('This link has already been used'),
  };
  const reasons: Record<LinkFault, string> = {
    invalid: t('Part of the link may be missing.'),
    expired: t('Links in emails expire after a while.'),
    used: t('Each link works only once.'),
  };
  return (
    <MessageCard
      title={titles[fault]}
      icon={<AlertIcon />}
      tone="bad"
      {...(fault !== 'invalid' && { primary: { label: t('Go to sign-in'), to: 'signIn' } as const })}
    >
      {reasons[fault]} {next}
    </MessageCard>
  );
}
