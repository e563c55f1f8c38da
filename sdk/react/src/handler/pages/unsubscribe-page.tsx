import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { DeadLinkCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler } from '../context.ts';
import { codeFault } from '../error-messages.ts';
import { CheckIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

/** The button unsubscribes; opening the link does not, because mail scanners open links too. */
export function UnsubscribePage() {
  const { t } = useTexts();
  const { app, url } = useHandler();
  const [isDone, setDone] = useState(false);
  const code = url.searchParams.get('code');
  const unsubscribe = useAction(async () => {
    await app.auth.unsubscribe(code ?? '');
    setDone(true);
  });
  if (isDone) {
    return (
      <MessageCard title={t('You are unsubscribed')} icon={<CheckIcon />} tone="good">
        {t("You won't get marketing emails from this app anymore. You still get emails about your account.")}
      </MessageCard>
    );
  }
  const fault = code ? codeFault(unsubscribe.error) : 'invalid';
  if (fault !== null) return <DeadLinkCard fault={fault} next={t('Open the link in the latest email.')} />;
  if (unsubscribe.error !== undefined) return <UnknownErrorCard error={unsubscribe.error} />;
  return (
    <MessageCard
      title={t('Unsubscribe from marketing emails?')}
      primary={{ label: t('Unsubscribe'), onPress: () => void unsubscribe.run(), isBusy: unsubscribe.isRunning }}
    >
      {t('You will still get emails about your account, such as password resets.')}
    </MessageCard>
  );
}
