import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button } from '../controls.tsx';
import { hasOtherMethod, useAccount, useChannels, useRefreshAccount } from './account.ts';
import { ActionError } from './action-error.tsx';
import { Section } from './section.tsx';

export function EmailCodes() {
  const { t } = useTexts();
  const { app } = useHandler();
  const { user } = useAccount();
  const channels = useChannels();
  const refresh = useRefreshAccount();
  const isOn = user.otpAuthEnabled;
  const change = useAction(async () => {
    await app.me.update({ otpAuthEnabled: !isOn });
    await refresh();
  });
  const hasAddress = channels.value?.some(({ usedForAuth, isVerified }) => usedForAuth && isVerified) ?? true;
  const isNeeded = isOn && !hasOtherMethod(user, 'code');
  const lead = isOn
    ? t('You can sign in with a code or a link sent by email.')
    : hasAddress
      ? t('Sign in with a code or a link sent by email.')
      : t('Requires a verified email address that is used for sign-in.');
  return (
    <Section title={t('Email codes')} lead={lead}>
      <ActionError error={change.error} />
      {isNeeded && <p className="gbh-hint">{t("This is your only sign-in method, so it can't be turned off.")}</p>}
      {!isNeeded && (isOn || hasAddress) && (
        <div className="gbh-row-actions">
          <Button tone="plain" onClick={() => void change.run()} isBusy={change.isRunning}>
            {isOn ? t('Turn off email codes') : t('Turn on email codes')}
          </Button>
        </div>
      )}
    </Section>
  );
}
