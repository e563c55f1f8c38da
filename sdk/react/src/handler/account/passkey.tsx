import { errorText } from '@gatebook/js/core';
import { isKnownError } from '@gatebook/js/errors';
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
      <Section title="Passkey" lead="You can sign in with your device or a security key.">
        {hasOtherMethod(user, 'passkey') ? (
          <ConfirmButton
            label="Remove passkey"
            tone="plain"
            question="Remove this passkey? You will no longer be able to sign in with it."
            confirmLabel="Remove passkey"
            call={async () => {
              await app.me.update({ passkeyAuthEnabled: false });
              await refresh();
            }}
          />
        ) : (
          <p className="gbh-hint">This is your only sign-in method, so it can't be removed.</p>
        )}
      </Section>
    );
  }
  const lead = !hasAddress
    ? 'Requires a verified email address that is used for sign-in.'
    : canUsePasskeys()
      ? 'Sign in with your device or a security key instead of a password.'
      : 'Your browser does not support passkeys.';
  return (
    <Section title="Passkey" lead={lead}>
      <ActionError error={add.error} textOf={addText} />
      {hasAddress && canUsePasskeys() && (
        <div className="gbh-row-actions">
          <Button tone="plain" onClick={() => void add.run()} isBusy={add.isRunning}>
            {!add.isRunning && <PasskeyIcon />}
            Add passkey
          </Button>
        </div>
      )}
    </Section>
  );
}

function addText(error: unknown): string {
  return isKnownError(error, 'PASSKEY_WEBAUTHN_ERROR') ? passkeyText(error) : errorText(error);
}
