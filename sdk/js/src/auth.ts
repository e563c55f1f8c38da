import { type AnonymousAuth, anonymousAuth } from './auth/anonymous.ts';
import type { Ceremonies } from './auth/ceremonies.ts';
import { type EmailCodeAuth, emailCodeAuth } from './auth/email-code.ts';
import type { AuthParts } from './auth/parts.ts';
import { type PasskeyAuth, passkeyAuth } from './auth/passkey.ts';
import { type PasswordAuth, passwordAuth } from './auth/password.ts';
import { type SecondFactorAuth, secondFactorAuth } from './auth/second-factor.ts';
import { isKnownError } from './errors.ts';

export type { SignedIn } from './auth/parts.ts';
export type { Credentials } from './auth/password.ts';

/** Sign-in, sign-up and sign-out. A sign-in stores its tokens in the session and does not redirect. */
export type AuthClient = PasswordAuth &
  EmailCodeAuth &
  SecondFactorAuth &
  PasskeyAuth &
  AnonymousAuth & {
    /** Ends the session on the server and removes its tokens. Succeeds if the session has already ended. */
    signOut(): Promise<void>;
  };

export const authClient = (parts: AuthParts, ceremonies?: Ceremonies): AuthClient => ({
  ...passwordAuth(parts),
  ...emailCodeAuth(parts),
  ...secondFactorAuth(parts),
  ...passkeyAuth(parts, ceremonies),
  ...anonymousAuth(parts),
  signOut: async () => {
    const { send, session } = parts;
    try {
      if (session.isSignedIn()) await send('DELETE', '/auth/sessions/current', {});
    } catch (error) {
      if (!isKnownError(error, 'REFRESH_TOKEN_ERROR', 'INVALID_ACCESS_TOKEN')) throw error;
    }
    session.invalidate();
  },
});
