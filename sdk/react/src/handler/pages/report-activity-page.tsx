import { useState } from 'react';
import { useAction } from '../../use-action.ts';
import { DeadLinkCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler } from '../context.ts';
import { AlertIcon, CheckIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';
import { codeFault } from '../words.ts';

/** Opening the link does nothing, so that a mail scanner signs nobody out: the button does. It may be an account of another app. */
export function ReportActivityPage() {
  const { app, url } = useHandler();
  const [done, setDone] = useState<{ isResetEmailSent: boolean } | null>(null);
  const code = url.searchParams.get('code');
  const report = useAction(async () => setDone(await app.auth.reportActivity(code ?? '')));
  if (done) {
    return (
      <MessageCard title="Your account is secured" icon={<CheckIcon />} tone="good">
        {done.isResetEmailSent
          ? 'You are signed out on every device, and your old password no longer works. We sent you an email with a link to choose a new one.'
          : 'You are signed out on every device. Sign in to the app again and check your email addresses and sign-in methods.'}
      </MessageCard>
    );
  }
  const fault = code ? codeFault(report.error) : 'invalid';
  if (fault !== null) {
    return <DeadLinkCard fault={fault} next="Open the link of the newest security notice, or reset your password." />;
  }
  if (report.error !== undefined) return <UnknownErrorCard error={report.error} />;
  return (
    <MessageCard
      title="Secure your account?"
      icon={<AlertIcon />}
      primary={{ label: 'Sign out everywhere', onPress: () => void report.run(), isBusy: report.isRunning }}
    >
      If the activity in the email was not you, sign out on every device. Your password stops working, and you get an
      email with a link to choose a new one. If it was you, close this page.
    </MessageCard>
  );
}
