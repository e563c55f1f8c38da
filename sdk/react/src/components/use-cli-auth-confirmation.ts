import { useEffect, useState } from 'react';
import { approveCliLogin } from '../handler/approve-cli-login.ts';
import { usePageUrl } from '../handler/location.ts';
import { useRestoreCount } from '../handler/use-restore-count.ts';
import { useGatebookApp } from '../provider.tsx';
import { useAction } from '../use-action.ts';
import { partsOf } from './part.tsx';

/** `invalid`: the address of the page has no login code. `redirecting`: on the way to the sign-in page and back. */
export type CliAuthConfirmationStatus = 'idle' | 'invalid' | 'authorizing' | 'redirecting' | 'success' | 'error';
export type CliAuthConfirmationState = {
  status: CliAuthConfirmationStatus;
  loginCode: string | null;
  error: Error | null;
  isLoading: boolean;
  /** Signs in the waiting CLI as the current user. */
  authorize: () => Promise<void>;
  /** Returns to `idle` after an error. */
  retry: () => void;
};

/** For an own page in the place of `CliAuthConfirmation`. Show the user what they approve, and ask first. */
export function useCliAuthConfirmation(): CliAuthConfirmationState {
  const { client } = partsOf(useGatebookApp());
  const href = usePageUrl();
  const loginCode = href === null ? null : new URL(href).searchParams.get('login_code');
  const [end, setEnd] = useState<'redirecting' | 'success' | null>(null);
  const approve = useAction(async (code: string) => {
    if ((await client.getUser()) === null) {
      setEnd('redirecting');
      await client.redirects.to('signIn', { replace: true });
      return;
    }
    await approveCliLogin(client, code);
    setEnd('success');
  });
  const restores = useRestoreCount();
  useEffect(() => {
    // Somebody went back from the sign-in page.
    if (restores > 0) setEnd((current) => (current === 'redirecting' ? null : current));
  }, [restores]);
  const error = approve.error === undefined ? null : toError(approve.error);
  const current = approve.isRunning ? 'authorizing' : error ? 'error' : 'idle';
  return {
    status: end ?? (href !== null && loginCode === null ? 'invalid' : current),
    loginCode,
    error,
    isLoading: approve.isRunning,
    authorize: async () => {
      if (loginCode !== null && end === null) await approve.run(loginCode);
    },
    retry: approve.reset,
  };
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
