import type { Session } from '../session.ts';
import type { Send } from '../transport.ts';

/** Dependencies of the sign-in methods. */
export type AuthParts = {
  /** Sends the current tokens, if any, so that an anonymous user keeps their account. */
  send: Send;
  /** Sends no tokens. Codes and passkeys start a new session. */
  sendWithoutSession: Send;
  session: Session;
};
export type SignedIn = {
  isNewUser: boolean;
  /** Where to return to; set only after linking an account. */
  returnTo?: string;
};

type Tokens = { access_token: string; refresh_token: string; is_new_user?: boolean };

/** Stores the tokens of a response. Without `is_new_user` the user existed before. */
export function adoptTokens(session: Session, tokens: Tokens): SignedIn {
  session.adopt({ accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  return { isNewUser: tokens.is_new_user ?? false };
}
