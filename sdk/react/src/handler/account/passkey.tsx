import { errorText } from '@gatebook/js/error-text';
import { isKnownError } from '@gatebook/js/errors';
import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button } from '../controls.tsx';
import { PasskeyIcon } from '../icons.tsx';
import { canUsePasskeys } from '../passkey-button.tsx';
import { passkeyText } from '../words.ts';
import { hasOtherMethod, useAccount, useChannels, useRefreshAccount } from './account.ts';
import { Confirmed } from './confirmed.tsx';
import { Failure } from './failure.tsx';
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
      <Section title="Passkey" lead="You can sign in with a device or a security key.">
        {hasOtherMethod(user, 'passkey') ? (
          <Confirmed
            label="Remove the passkey"
            tone="plain"
            question="Remove it? It does not sign you in any more."
            confirmLabel="Remove it"
            call={async () => {
              await app.me.update({ passkeyAuthEnabled: false });
              await refresh();
            }}
          />
        ) : (
          <p className="gbh-hint">It is the only way in which you sign in, so it stays.</p>
        )}
      </Section>
    );
  }
  const lead = !hasAddress
    ? 'It needs a verified e-mail address that signs in.'
    : canUsePasskeys()
      ? 'Sign in with this device or with a security key, without a password.'
      : 'Your browser has none.';
  return (
    <Section title="Passkey" lead={lead}>
      <Failure error={add.error} textOf={addText} />
      {hasAddress && canUsePasskeys() && (
        <div className="gbh-row-actions">
          <Button tone="plain" onClick={() => void add.run()} isBusy={add.isRunning}>
            {!add.isRunning && <PasskeyIcon />}
            Add a passkey
          </Button>
        </div>
      )}
    </Section>
  );
}

function addText(error: unknown): string {
  return isKnownError(error, 'PASSKEY_WEBAUTHN_ERROR') ? passkeyText(error) : errorText(error);
}
