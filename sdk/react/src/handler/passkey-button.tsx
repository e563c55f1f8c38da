import type { SignedIn } from '@gatebook/js/auth';
import { useAction } from '../use-action.ts';
import { useHandler } from './context.ts';
import { Button, ErrorNote } from './controls.tsx';
import { PasskeyIcon } from './icons.tsx';
import { passkeyText } from './words.ts';

/** Browsers have no passkeys outside of secure contexts, nor do old ones. */
export function canUsePasskeys(): boolean {
  return typeof globalThis.PublicKeyCredential === 'function';
}

export function PasskeyButton({ through }: { through: (signIn: () => Promise<SignedIn>) => Promise<void> }) {
  const { app } = useHandler();
  const signIn = useAction(() => through(() => app.auth.signInWithPasskey()));
  return (
    <>
      {signIn.error !== undefined && <ErrorNote>{passkeyText(signIn.error)}</ErrorNote>}
      <Button tone="plain" onClick={() => void signIn.run()} isBusy={signIn.isRunning}>
        {!signIn.isRunning && <PasskeyIcon />}
        Sign in with a passkey
      </Button>
    </>
  );
}
