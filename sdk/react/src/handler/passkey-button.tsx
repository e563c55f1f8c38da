import { useState } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { useAction } from '../use-action.ts';
import { useHandler } from './context.ts';
import { Button, ErrorNote } from './controls.tsx';
import { passkeyText } from './error-messages.ts';
import { PasskeyIcon } from './icons.tsx';
import { readLastUsed } from './last-used.ts';
import { LastUsed } from './last-used-tag.tsx';
import type { RunSignIn } from './use-sign-in.ts';

/** False in insecure contexts and old browsers. */
export function canUsePasskeys(): boolean {
  return typeof globalThis.PublicKeyCredential === 'function';
}

export function PasskeyButton({ runSignIn }: { runSignIn: RunSignIn }) {
  const texts = useTexts();
  const { app, storeLastUsed } = useHandler();
  const [lastUsed] = useState(readLastUsed);
  const signIn = useAction(async () => {
    await runSignIn(() => app.auth.signInWithPasskey());
    storeLastUsed('passkey');
  });
  return (
    <>
      {signIn.error !== undefined && <ErrorNote>{passkeyText(texts, signIn.error)}</ErrorNote>}
      <Button tone="plain" onClick={() => void signIn.run()} isBusy={signIn.isRunning}>
        {!signIn.isRunning && <PasskeyIcon />}
        <span>{texts.t('Sign in with a passkey')}</span>
        {lastUsed === 'passkey' && <LastUsed />}
      </Button>
    </>
  );
}
