import { isKnownError } from '@gatebook/js/errors';
import { type RefObject, useEffect, useState } from 'react';
import { useHandler } from './context.ts';
import { canUsePasskeys } from './passkey-button.tsx';
import type { RunSignIn } from './use-sign-in.ts';

/** Shorter than the life of a challenge, 65 s (protocol, auth §4). */
const RENEW_AFTER_MS = 50_000;
/** What people do on a page before they choose a passkey. */
const STARTING_EVENTS = ['pointermove', 'pointerdown', 'keydown', 'focusin'];

type Options = {
  isOn: boolean;
  runSignIn: RunSignIn;
  /** Contains the field with `autocomplete="username webauthn"`. */
  forms: RefObject<HTMLElement | null>;
};

/**
 * Offers the user's passkeys in the autofill of the email field. A challenge costs the server a write, so it is
 * requested when somebody uses the page, once. One that is old or used is replaced when the user turns to the field,
 * which can have the focus already. Returns why a chosen passkey was rejected.
 */
export function usePasskeyAutofill({ isOn, runSignIn, forms }: Options): unknown {
  const { app, storeLastUsed } = useHandler();
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const element = forms.current;
    if (!isOn || !element) return;
    let current: AbortController | null = null;
    let startedAt = 0;
    const offer = async (): Promise<void> => {
      current?.abort();
      const own = new AbortController();
      current = own;
      startedAt = Date.now();
      if (!(await canAutofill()) || own.signal.aborted) return;
      try {
        await runSignIn(() => app.auth.signInWithPasskey({ autofill: own.signal }));
        storeLastUsed('passkey');
      } catch (failure) {
        // Other errors mean that no passkey was chosen. The page works without autofill.
        if (!isKnownError(failure, 'PASSKEY_AUTHENTICATION_FAILED', 'VERIFICATION_ERROR')) return;
        setError(failure);
        startedAt = 0;
      }
    };
    const start = ({ target }: Event) => {
      const isField =
        target instanceof HTMLInputElement && element.contains(target) && target.autocomplete.endsWith('webauthn');
      if ((isField || current === null) && Date.now() - startedAt > RENEW_AFTER_MS) void offer();
    };
    for (const type of STARTING_EVENTS) document.addEventListener(type, start);
    return () => {
      for (const type of STARTING_EVENTS) document.removeEventListener(type, start);
      current?.abort();
    };
  }, [app, storeLastUsed, isOn, runSignIn, forms]);
  return error;
}

async function canAutofill(): Promise<boolean> {
  if (!canUsePasskeys()) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}
