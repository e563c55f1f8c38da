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
  get(options: PublicKeyCredentialRequestOptionsJSON): Promise<AuthenticationResponseJSON>;
};

/** Loaded on first use, to keep the sign-in page small. */
export const browserCeremonies: Ceremonies = {
  create: async (optionsJSON) => {
    const { startRegistration } = await import('@simplewebauthn/browser');
    return startRegistration({ optionsJSON }).catch(throwKnown);
  },
  get: async (optionsJSON) => {
    const { startAuthentication } = await import('@simplewebauthn/browser');
    return startAuthentication({ optionsJSON }).catch(throwKnown);
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
  throw new KnownError('PASSKEY_WEBAUTHN_ERROR', 400, error.message, { message: error.message, code });
}
