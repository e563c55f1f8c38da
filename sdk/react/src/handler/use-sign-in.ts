import { attemptCodeOf, continueAfterSignIn, type SignedIn } from '@gatebook/js/core';
import { useCallback, useState } from 'react';
import { useHandler } from './context.ts';

/**
 * The stages of a sign-in on this page. `redirecting`: signed in, on the way to the return target.
 * `untrusted-return`: signed in, but the return target is on another site.
 */
export type SignInStage =
  | { at: 'start' }
  | { at: 'second-factor'; attemptCode: string }
  | { at: 'redirecting' }
  | { at: 'done' }
  | { at: 'untrusted-return' };

/** Runs a sign-in up to the second factor if one is required. @throws every other error of the sign-in */
export type RunSignIn = (signIn: () => Promise<SignedIn>) => Promise<void>;

/** Runs a sign-in, asks for the second factor if one is required, then redirects. */
export function useSignIn() {
  const { app } = useHandler();
  const [stage, setStage] = useState<SignInStage>({ at: 'start' });

  const redirect = useCallback(
    async (signedIn: SignedIn): Promise<void> => {
      setStage({ at: 'redirecting' });
      try {
        await continueAfterSignIn(app.redirects, signedIn);
        setStage({ at: 'done' }); // The app navigates itself, or the next page loads slowly.
      } catch {
        setStage({ at: 'untrusted-return' });
      }
    },
    [app],
  );

  const runSignIn: RunSignIn = useCallback(
    async (signIn) => {
      let signedIn: SignedIn;
      try {
        signedIn = await signIn();
      } catch (error) {
        const attemptCode = attemptCodeOf(error);
        if (attemptCode === null) throw error;
        setStage({ at: 'second-factor', attemptCode });
        return;
      }
      void redirect(signedIn);
    },
    [redirect],
  );

  const startOver = useCallback(() => setStage({ at: 'start' }), []);
  return { stage, runSignIn, startOver };
}
