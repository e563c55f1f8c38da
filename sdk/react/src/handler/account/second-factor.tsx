import { useMemo, useState } from 'react';
import { encode } from 'uqr';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { CodeInput } from '../code-input.tsx';
import { useHandler } from '../context.ts';
import { Button } from '../controls.tsx';
import { useAccount, useRefreshAccount } from './account.ts';
import { ActionError } from './action-error.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { Section } from './section.tsx';
import { digitsOf, newSecret, otpauthUri, toBase32 } from './totp.ts';

export function SecondFactor() {
  const { t } = useTexts();
  const { app } = useHandler();
  const { user } = useAccount();
  const refresh = useRefreshAccount();
  const [secret, setSecret] = useState<Uint8Array | null>(null);
  if (user.isMultiFactorRequired) {
    return (
      <Section
        title={t('Two-factor authentication')}
        lead={t('Signing in also requires a code from your authenticator app.')}
      >
        <ConfirmButton
          label={t('Turn off two-factor authentication')}
          tone="plain"
          question={t('Turn off two-factor authentication? Your account will be less secure.')}
          confirmLabel={t('Turn off')}
          call={async () => {
            await app.me.update({ totpSecret: null });
            await refresh();
          }}
        />
      </Section>
    );
  }
  return (
    <Section
      title={t('Two-factor authentication')}
      lead={t('Require a code from an authenticator app each time you sign in.')}
    >
      {secret ? (
        <Enable secret={secret} onEnd={() => setSecret(null)} />
      ) : (
        <div className="gbh-row-actions">
          <Button tone="plain" onClick={() => setSecret(newSecret())}>
            {t('Set up two-factor authentication')}
          </Button>
        </div>
      )}
    </Section>
  );
}

/** Enables the second factor after a correct code proves that the app has the secret (protocol, client §12.5). */
function Enable({ secret, onEnd }: { secret: Uint8Array; onEnd: () => void }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const { user, project } = useAccount();
  const refresh = useRefreshAccount();
  const [digits, setDigits] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const enable = useAction(async (typed: string) => {
    setFault(null);
    if ((await digitsOf(secret, Date.now())) !== typed) {
      setDigits('');
      setFault(t('Incorrect code. Wait for the next one and try again'));
      return;
    }
    await app.me.update({ totpSecret: secret });
    await refresh();
    onEnd();
  });
  return (
    <div className="gbh-form">
      <p>{t('Scan the QR code with your authenticator app, or enter the key manually.')}</p>
      <QrCode text={otpauthUri(secret, project.displayName, user.primaryEmail ?? user.id)} />
      <p className="gbh-mono gbh-secret">
        {toBase32(secret)
          .match(/.{1,4}/g)
          ?.join(' ')}
      </p>
      <ActionError error={enable.error} />
      <CodeInput
        label={t('Code from the app')}
        kind="digits"
        value={digits}
        onChange={setDigits}
        onComplete={(typed) => void enable.run(typed)}
        isBusy={enable.isRunning}
        fault={fault}
      />
      <div className="gbh-row-actions">
        <Button tone="quiet" onClick={onEnd}>
          {t('Cancel')}
        </Button>
      </div>
    </div>
  );
}

function QrCode({ text }: { text: string }) {
  const { t } = useTexts();
  const { size, path } = useMemo(() => {
    const code = encode(text, { ecc: 'M', border: 2 });
    const cells = code.data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: code.size, path: cells.join('') };
  }, [text]);
  return (
    <svg className="gbh-qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t('QR code of the key')}>
      <path d={path} shapeRendering="crispEdges" />
    </svg>
  );
}
