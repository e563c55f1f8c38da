import type { Session } from '../session.ts';
import type { Send } from '../transport.ts';

/** What every way to sign in is made of. */
export type AuthParts = {
  /** Sends the tokens that are held, if any: an anonymous user stays the same person by it. */
  send: Send;
  /** Sends none: whoever presents a code or a passkey is somebody new to this session. */
  sendWithoutSession: Send;
  session: Session;
};
export type SignedIn = {
  isNewUser: boolean;
  /** Where the page that began it wants the person back; only linking an account says so. */
  returnTo?: string;
};

type Tokens = { access_token: string; refresh_token: string; is_new_user?: boolean };

/** Keeps the tokens of an answer. Answers that do not say so are of users who were there before. */
export function adoptTokens(session: Session, tokens: Tokens): SignedIn {
  session.adopt({ accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
  return { isNewUser: tokens.is_new_user ?? false };
}
