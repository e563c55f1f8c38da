import { useState } from 'react';
import { isKnownError } from '../../../errors.ts';
import { useAction } from '../../use-action.ts';
import { useResourceCache } from '../../use-resource.ts';
import { UnknownErrorCard } from '../cards.tsx';
import { useHandler } from '../context.ts';
import { AlertIcon, CheckIcon, MailIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';
import { codeFault } from '../words.ts';

/** Opening the link does nothing, so that a mail scanner uses nothing up: the button does (client.md §3.5). */
export function EmailVerificationPage() {
  const { app, url } = useHandler();
  const cache = useResourceCache();
  const [isDone, setDone] = useState(false);
  const code = url.searchParams.get('code');
  const verify = useAction(async () => {
    try {
      await app.auth.verifyEmail(code ?? '');
    } catch (error) {
      if (!isKnownError(error, 'VERIFICATION_CODE_ALREADY_USED')) throw error;
    }
    setDone(true);
    await cache.invalidate(['user']);
  });
  if (isDone) {
    return (
      <MessageCard
        title="Your address is confirmed"
        icon={<CheckIcon />}
        tone="good"
        primary={{ label: 'Continue', to: 'home' }}
      >
        Thank you. There is nothing else to do.
      </MessageCard>
    );
  }
  const fault = code ? codeFault(verify.error) : 'invalid';
  if (fault === 'invalid') {
    return (
      <MessageCard title="This link is not valid" icon={<AlertIcon />} tone="bad">
        Part of it may be missing. Open it again from the mail.
      </MessageCard>
    );
  }
  if (fault !== null) {
    return (
      <MessageCard
        title="This link has expired"
        icon={<AlertIcon />}
        tone="bad"
        primary={{ label: 'Continue', to: 'home' }}
      >
        Ask for another mail in the settings of your account.
      </MessageCard>
    );
  }
  if (verify.error !== undefined) return <UnknownErrorCard error={verify.error} />;
  return (
    <MessageCard
      title="Is this your address?"
      icon={<MailIcon />}
      primary={{ label: 'Confirm my address', onPress: () => void verify.run(), isBusy: verify.isRunning }}
      secondary={{ label: 'Cancel', to: 'home' }}
    >
      Confirm that you received the mail with this link.
    </MessageCard>
  );
}
