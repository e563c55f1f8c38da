import { useAction } from '../use-action.ts';
import { useHandler } from './context.ts';
import { Button, ErrorNote } from './controls.tsx';
import { passkeyText } from './error-messages.ts';
import { PasskeyIcon } from './icons.tsx';
import type { RunSignIn } from './use-sign-in.ts';

/** False in insecure contexts and old browsers. */
export function canUsePasskeys(): boolean {
  return typeof globalThis.PublicKeyCredential === 'function';
}

export function PasskeyButton({ runSignIn }: { runSignIn: RunSignIn }) {
  const { app } = useHandler();
  const signIn = useAction(() => runSignIn(() => app.auth.signInWithPasskey()));
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
