import { useAction } from '../../use-action.ts';
import { useHandler } from '../context.ts';
import { Button } from '../controls.tsx';
import { hasOtherMethod, useAccount, useChannels, useRefreshAccount } from './account.ts';
import { Failure } from './failure.tsx';
import { Section } from './section.tsx';

export function EmailCodes() {
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
    ? 'You can sign in with a code or a link sent by mail.'
    : hasAddress
      ? 'Sign in with a code or a link sent by mail.'
      : 'They need a verified e-mail address that signs in.';
  return (
    <Section title="Codes by mail" lead={lead}>
      <Failure error={change.error} />
      {isNeeded && <p className="gbh-hint">It is the only way in which you sign in, so it stays.</p>}
      {!isNeeded && (isOn || hasAddress) && (
        <div className="gbh-row-actions">
          <Button tone="plain" onClick={() => void change.run()} isBusy={change.isRunning}>
            {isOn ? 'Switch codes off' : 'Switch codes on'}
          </Button>
        </div>
      )}
    </Section>
  );
}
