import { isKnownError } from '@gatebook/js/errors';
import { type Texts, useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button } from '../controls.tsx';
import { passkeyText } from '../error-messages.ts';
import { PasskeyIcon } from '../icons.tsx';
import { canUsePasskeys } from '../passkey-button.tsx';
import { hasOtherMethod, useAccount, useChannels, useRefreshAccount } from './account.ts';
import { ActionError } from './action-error.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { Section } from './section.tsx';

export function Passkey() {
  const texts = useTexts();
  const { t } = texts;
  const { app } = useHandler();
  const { user } = useAccount();
  const channels = useChannels();
  const refresh = useRefreshAccount();
  const add = useAction(async () => {
    await app.auth.registerPasskey();
    await refresh();
  });
  const hasAddress = channels.value?.some(({ usedForAuth, isVerified }) => usedForAuth && isVerified) ?? true;
  if (user.passkeyAuthEnabled) {
    return (
      <Section title={t('Passkey')} lead={t('You can sign in with your device or a security key.')}>
        {hasOtherMethod(user, 'passkey') ? (
          <ConfirmButton
            label={t('Remove passkey')}
            tone="plain"
            question={t('Remove this passkey? You will no longer be able to sign in with it.')}
            confirmLabel={t('Remove passkey')}
            call={async () => {
              await app.me.update({ passkeyAuthEnabled: false });
              await refresh();
            }}
          />
        ) : (
          <p className="gbh-hint">{t("This is your only sign-in method, so it can't be removed.")}</p>
        )}
      </Section>
    );
  }
  const lead = !hasAddress
    ? t('Requires a verified email address that is used for sign-in.')
    : canUsePasskeys()
      ? t('Sign in with your device or a security key instead of a password.')
      : t('Your browser does not support passkeys.');
  return (
    <Section title={t('Passkey')} lead={lead}>
      <ActionError error={add.error} textOf={(error) => addText(texts, error)} />
      {hasAddress && canUsePasskeys() && (
        <div className="gbh-row-actions">
          <Button tone="plain" onClick={() => void add.run()} isBusy={add.isRunning}>
            {!add.isRunning && <PasskeyIcon />}
            {t('Add passkey')}
          </Button>
        </div>
      )}
    </Section>
  );
}

function addText(texts: Texts, error: unknown): string {
  return isKnownError(error, 'PASSKEY_WEBAUTHN_ERROR') ? passkeyText(texts, error) : texts.errorText(error);
}
