import { useMemo, useState } from 'react';
import { encode } from 'uqr';
import { useAction } from '../../use-action.ts';
import { CodeInput } from '../code-input.tsx';
import { useHandler } from '../context.ts';
import { Button } from '../controls.tsx';
import { useAccount, useRefreshAccount } from './account.ts';
import { Confirmed } from './confirmed.tsx';
import { Failure } from './failure.tsx';
import { Section } from './section.tsx';
import { digitsOf, newSecret, otpauthUri, toBase32 } from './totp.ts';

export function SecondFactor() {
  const { app } = useHandler();
  const { user } = useAccount();
  const refresh = useRefreshAccount();
  const [secret, setSecret] = useState<Uint8Array | null>(null);
  if (user.isMultiFactorRequired) {
    return (
      <Section title="Second factor" lead="Signing in asks for the digits of your authenticator app as well.">
        <Confirmed
          label="Switch the second factor off"
          tone="plain"
          question="Switch it off? Your account is then as safe as your way to sign in alone."
          confirmLabel="Switch it off"
          call={async () => {
            await app.me.update({ totpSecret: null });
            await refresh();
          }}
        />
      </Section>
    );
  }
  return (
    <Section title="Second factor" lead="Digits of an authenticator app, asked for whenever you sign in.">
      {secret ? (
        <Enable secret={secret} onEnd={() => setSecret(null)} />
      ) : (
        <div className="gbh-row-actions">
          <Button tone="plain" onClick={() => setSecret(newSecret())}>
            Set up a second factor
          </Button>
        </div>
      )}
    </Section>
  );
}

/** It is on once a code of the app has shown that the app has the secret (client.md §12.5). */
function Enable({ secret, onEnd }: { secret: Uint8Array; onEnd: () => void }) {
  const { app } = useHandler();
  const { user, project } = useAccount();
  const refresh = useRefreshAccount();
  const [digits, setDigits] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const enable = useAction(async (typed: string) => {
    setFault(null);
    if ((await digitsOf(secret, Date.now())) !== typed) {
      setDigits('');
      setFault('This code is not right. Wait for the next one and try again');
      return;
    }
    await app.me.update({ totpSecret: secret });
    await refresh();
    onEnd();
  });
  return (
    <div className="gbh-form">
      <p>Scan the picture with your authenticator app, or type the key into it.</p>
      <QrCode text={otpauthUri(secret, project.displayName, user.primaryEmail ?? user.id)} />
      <p className="gbh-mono gbh-secret">
        {toBase32(secret)
          .match(/.{1,4}/g)
          ?.join(' ')}
      </p>
      <Failure error={enable.error} />
      <CodeInput
        label="Code that the app shows now"
        kind="digits"
        value={digits}
        onChange={setDigits}
        onComplete={(typed) => void enable.run(typed)}
        isBusy={enable.isRunning}
        fault={fault}
      />
      <div className="gbh-row-actions">
        <Button tone="quiet" onClick={onEnd}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

function QrCode({ text }: { text: string }) {
  const { size, path } = useMemo(() => {
    const code = encode(text, { ecc: 'M', border: 2 });
    const cells = code.data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: code.size, path: cells.join('') };
  }, [text]);
  return (
    <svg className="gbh-qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="The key as a picture">
      <path d={path} shapeRendering="crispEdges" />
    </svg>
  );
}
