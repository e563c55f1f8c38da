import type { SignedIn } from '@gatebook/js/auth';
import { attemptCodeOf } from '@gatebook/js/auth/second-factor';
import { leadOn } from '@gatebook/js/redirects';
import { useCallback, useState } from 'react';
import { useHandler } from './context.ts';

/** How far a sign-in of this page is. `leaving`: done, and on the way to where the person wanted to go. */
export type SignInStage =
  | { at: 'start' }
  | { at: 'second-factor'; attemptCode: string }
  | { at: 'leaving' }
  | { at: 'done' }
  | { at: 'lost'; error: unknown };

/** Runs a sign-in and what follows it: the second factor where one is asked for, then the way out of the pages. */
export function useSignIn() {
  const { app } = useHandler();
  const [stage, setStage] = useState<SignInStage>({ at: 'start' });

  const leave = useCallback(
    async (signedIn: SignedIn): Promise<void> => {
      setStage({ at: 'leaving' });
      try {
        await leadOn(app.redirects, signedIn);
        setStage({ at: 'done' }); // still here: the app moves by itself, or the next page takes its time
      } catch (error) {
        setStage({ at: 'lost', error });
      }
    },
    [app],
  );

  /** @throws what the sign-in throws, unless it asks for a second factor */
  const through = useCallback(
    async (signIn: () => Promise<SignedIn>): Promise<void> => {
      let signedIn: SignedIn;
      try {
        signedIn = await signIn();
      } catch (error) {
        const attemptCode = attemptCodeOf(error);
        if (attemptCode === null) throw error;
        setStage({ at: 'second-factor', attemptCode });
        return;
      }
      void leave(signedIn);
    },
    [leave],
  );

  const startOver = useCallback(() => setStage({ at: 'start' }), []);
  return { stage, through, leave, startOver };
}
