import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import { KnownError } from '../errors.ts';

/** The browser's WebAuthn ceremonies; replaced in tests. */
export type Ceremonies = {
  create(options: PublicKeyCredentialCreationOptionsJSON): Promise<RegistrationResponseJSON>;
  /** With `autofill`, the browser offers passkeys in a form field until the signal aborts. */
  get(options: PublicKeyCredentialRequestOptionsJSON, autofill?: AbortSignal): Promise<AuthenticationResponseJSON>;
};

/** Loaded on first use, to keep the sign-in page small. */
export const browserCeremonies: Ceremonies = {
  create: async (optionsJSON) => {
    const { startRegistration } = await import('@simplewebauthn/browser');
    return startRegistration({ optionsJSON }).catch(throwKnown);
  },
  get: async (optionsJSON, autofill) => {
    const { startAuthentication, WebAuthnAbortService } = await import('@simplewebauthn/browser');
    if (!autofill) return startAuthentication({ optionsJSON }).catch(throwKnown);
    // The same error as of an abort during the ceremony.
    if (autofill.aborted) throw webAuthnError('The request was aborted.', 'ERROR_CEREMONY_ABORTED');
    const cancel = () => WebAuthnAbortService.cancelCeremony();
    autofill.addEventListener('abort', cancel);
    // Another ceremony ends this one, and must not be canceled in its place.
    return startAuthentication({ optionsJSON, useBrowserAutofill: true })
      .catch(throwKnown)
      .finally(() => autofill.removeEventListener('abort', cancel));
  },
};

/**
 * Throws a failed ceremony as a known error. `details.code` is the kind of failure (protocol, client §12.6), or else
 * the name of the browser's error, such as `NotAllowedError` for canceled and timed-out requests.
 */
export function throwKnown(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  const kind = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const code = kind === null || kind === 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY' ? error.name : kind;
  throw webAuthnError(error.message, code);
}

const webAuthnError = (message: string, code: string): KnownError =>
  new KnownError('PASSKEY_WEBAUTHN_ERROR', 400, message, { message, code });
