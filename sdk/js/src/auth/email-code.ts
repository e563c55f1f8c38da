import type { CodeBody, SendSignInCode, SignInCodeSent, SignInView } from '@gatebook/contract/auth';
import type { SendPrimaryVerificationCode } from '@gatebook/contract/contact-channels';
import { type AuthParts, adoptTokens, type SignedIn } from './parts.ts';

export type EmailCodeAuth = {
  /**
   * Emails a link and a six-character code. The code works only with `nonce`, which is not in the email.
   * @throws KnownError SIGN_UP_NOT_ENABLED, USER_EMAIL_ALREADY_EXISTS, REDIRECT_URL_NOT_WHITELISTED
   */
  sendSignInCode(input: { email: string; callbackUrl: string }): Promise<{ nonce: string }>;
  /**
   * Takes the code of the link, or the six characters followed by the nonce.
   * @throws KnownError VERIFICATION_ERROR, MULTI_FACTOR_AUTHENTICATION_REQUIRED
   */
  signInWithCode(code: string): Promise<SignedIn>;
  /**
   * Works for anyone who has the code. Without a session of its user, the first verification of the primary address
   * removes the password and all other sign-in methods and ends all sessions.
   * @throws KnownError of the family VERIFICATION_ERROR
   */
  verifyEmail(code: string): Promise<void>;
  /** To the signed-in user's primary address. @throws KnownError EMAIL_IS_NOT_PRIMARY_EMAIL, EMAIL_ALREADY_VERIFIED */
  sendVerificationEmail(input: { email: string; callbackUrl: string }): Promise<void>;
};

export const emailCodeAuth = ({ send, sendWithoutSession, session }: AuthParts): EmailCodeAuth => ({
  sendSignInCode: async ({ email, callbackUrl }) => {
    const body: SendSignInCode = { email, callback_url: callbackUrl };
    const { nonce } = await sendWithoutSession<SignInCodeSent>('POST', '/auth/otp/send-sign-in-code', body);
    return { nonce };
  },
  signInWithCode: async (code) =>
    adoptTokens(
      session,
      await sendWithoutSession<SignInView>('POST', '/auth/otp/sign-in', { code } satisfies CodeBody),
    ),
  verifyEmail: async (code) => {
    await send('POST', '/contact-channels/verify', { code } satisfies CodeBody);
  },
  sendVerificationEmail: async ({ email, callbackUrl }) => {
    const body: SendPrimaryVerificationCode = { email, callback_url: callbackUrl };
    await send('POST', '/contact-channels/send-verification-code', body);
  },
});
