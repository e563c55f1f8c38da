import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import { KnownError } from '../errors.ts';

/** What the browser does with an authenticator; tests put their own in place. */
export type Ceremonies = {
  create(options: PublicKeyCredentialCreationOptionsJSON): Promise<RegistrationResponseJSON>;
  get(options: PublicKeyCredentialRequestOptionsJSON): Promise<AuthenticationResponseJSON>;
};

/** Loaded when somebody uses a passkey: the sign-in page starts without it. */
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
 * A failed ceremony in the form of the catalogue: `details.code` is the kind of failure (client.md §12.6), or the browser's
 * name of it where there is no kind, as `NotAllowedError` for cancelled and timed out.
 */
export function throwKnown(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  const kind = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const code = kind === null || kind === 'ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY' ? error.name : kind;
  throw new KnownError('PASSKEY_WEBAUTHN_ERROR', 400, error.message, { message: error.message, code });
}
