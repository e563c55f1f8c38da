import type { PasswordSignIn, PasswordSignUp, TokensView } from '@gatebook/contract/auth';
import { isKnownError } from './errors.ts';
import type { Session } from './session.ts';
import type { Send } from './transport.ts';

export type Credentials = { email: string; password: string };
export type AuthClient = {
  /** @throws KnownError EMAIL_PASSWORD_MISMATCH, PASSWORD_AUTHENTICATION_NOT_ENABLED, MULTI_FACTOR_AUTHENTICATION_REQUIRED */
  signInWithPassword(credentials: Credentials): Promise<void>;
  /** @throws KnownError SIGN_UP_NOT_ENABLED, USER_EMAIL_ALREADY_EXISTS, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG */
  signUpWithPassword(input: Credentials & { verificationCallbackUrl: string }): Promise<void>;
  /** Ends the session at the server and forgets its tokens; one that is over already counts as ended. */
  signOut(): Promise<void>;
};

export const authClient = (send: Send, session: Session): AuthClient => {
  const adopt = (tokens: TokensView): void =>
    session.adopt({ accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  return {
    signInWithPassword: async ({ email, password }) =>
      adopt(await send<TokensView>('POST', '/auth/password/sign-in', { email, password } satisfies PasswordSignIn)),
    signUpWithPassword: async ({ email, password, verificationCallbackUrl }) =>
      adopt(
        await send<TokensView>('POST', '/auth/password/sign-up', {
          email,
          password,
          verification_callback_url: verificationCallbackUrl,
        } satisfies PasswordSignUp),
      ),
    signOut: async () => {
      try {
        if (session.isSignedIn()) await send('DELETE', '/auth/sessions/current', {});
      } catch (error) {
        if (!isKnownError(error, 'REFRESH_TOKEN_ERROR', 'INVALID_ACCESS_TOKEN')) throw error;
      }
      session.invalidate();
    },
  };
};
