import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { DeadLinkCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler } from '../context.ts';
import { codeFault } from '../error-messages.ts';
import { AlertIcon, CheckIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

/**
 * The button signs out; opening the link does not, because mail scanners open links too. The account may belong to
 * another app.
 */
export function ReportActivityPage() {
  const { t } = useTexts();
  const { app, url } = useHandler();
  const [done, setDone] = useState<{ isResetEmailSent: boolean } | null>(null);
  const code = url.searchParams.get('code');
  const report = useAction(async () => setDone(await app.auth.reportActivity(code ?? '')));
  if (done) {
    return (
      <MessageCard title={t('Your account is secure')} icon={<CheckIcon />} tone="good">
        {done.isResetEmailSent
          ? t(
              'You are signed out on all devices, and your old password no longer works. We emailed you a link to set a new one.',
            )
          : t(
              'You are signed out on all devices. Sign in to the app again and check your email addresses and sign-in methods.',
            )}
      </MessageCard>
    );
  }
  const fault = code ? codeFault(report.error) : 'invalid';
  if (fault !== null) {
    return (
      <DeadLinkCard fault={fault} next={t('Open the link in the latest security notice, or reset your password.')} />
    );
  }
  if (report.error !== undefined) return <UnknownErrorCard error={report.error} />;
  return (
    <MessageCard
      title={t('Secure your account?')}
      icon={<AlertIcon />}
      primary={{ label: t('Sign out everywhere'), onPress: () => void report.run(), isBusy: report.isRunning }}
    >
      {t(
        "If you don't recognize the activity in the email, sign out everywhere. Your password will stop working, and we'll email you a link to set a new one. If it was you, close this page.",
      )}
    </MessageCard>
  );
}
