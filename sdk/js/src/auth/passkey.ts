import type { SignInView } from '@gatebook/contract/auth';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { browserCeremonies, type Ceremonies } from './ceremonies.ts';
import { type AuthParts, adoptTokens, type SignedIn } from './parts.ts';

/** The server does not know the page's hostname. It sends this placeholder, which the page replaces with its own. */
const rpIdPlaceholder = 'THIS_VALUE_WILL_BE_REPLACED.example.com';

export type PasskeySignInOptions = {
  /**
   * Offers passkeys in the autofill of a field with `autocomplete="username webauthn"` instead of in a dialog, until
   * this signal aborts. The challenge of the server is valid for 65 seconds.
   */
  autofill?: AbortSignal;
};

export type PasskeyAuth = {
  /** @throws KnownError PASSKEY_AUTHENTICATION_FAILED, PASSKEY_WEBAUTHN_ERROR, MULTI_FACTOR_AUTHENTICATION_REQUIRED */
  signInWithPasskey(options?: PasskeySignInOptions): Promise<SignedIn>;
  /**
   * Registers a passkey for the signed-in user and replaces an existing one.
   * @throws KnownError PASSKEY_REGISTRATION_FAILED, PASSKEY_AUTHENTICATION_FAILED (origin), PASSKEY_WEBAUTHN_ERROR
   */
  registerPasskey(options?: { hostname?: string }): Promise<void>;
};

type Initiated<Options> = { options_json: Options; code: string };

export const passkeyAuth = (
  { send, sendWithoutSession, session }: AuthParts,
  ceremonies: Ceremonies = browserCeremonies,
): PasskeyAuth => ({
  signInWithPasskey: async ({ autofill } = {}) => {
    const { options_json: options, code } = await send<Initiated<PublicKeyCredentialRequestOptionsJSON>>(
      'POST',
      '/auth/passkey/initiate-passkey-authentication',
      {},
    );
    rejectOtherRpId(options.rpId);
    const response = await ceremonies.get({ ...options, rpId: hostnameOfPage() }, autofill);
    const body = { authentication_response: response, code };
    return adoptTokens(session, await sendWithoutSession<SignInView>('POST', '/auth/passkey/sign-in', body));
  },
  registerPasskey: async ({ hostname = hostnameOfPage() } = {}) => {
    const { options_json: options, code } = await send<Initiated<PublicKeyCredentialCreationOptionsJSON>>(
      'POST',
      '/auth/passkey/initiate-passkey-registration',
      {},
    );
    rejectOtherRpId(options.rp.id);
    const credential = await ceremonies.create({ ...options, rp: { ...options.rp, id: hostname } });
    await send('POST', '/auth/passkey/register', { credential, code });
  },
});

function rejectOtherRpId(rpId: string | undefined): void {
  if (rpId !== rpIdPlaceholder) throw new Error(`The server returned the unexpected relying party ID ${rpId}.`);
}

function hostnameOfPage(): string {
  const hostname = globalThis.location?.hostname;
  if (!hostname) throw new Error('Outside a browser, pass the hostname for passkeys.');
  return hostname;
}
