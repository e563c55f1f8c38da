import type {
  ActivityReport,
  ActivityReported,
  CodeBody,
  PasswordReset,
  PasswordSet,
  PasswordSignIn,
  PasswordSignUp,
  PasswordUpdate,
  SendResetCode,
  TokensView,
} from '@gatebook/contract/auth';
import { type AuthParts, adoptTokens, type SignedIn } from './parts.ts';

export type Credentials = { email: string; password: string };

export type PasswordAuth = {
  /**
   * @throws KnownError EMAIL_PASSWORD_MISMATCH, PASSWORD_AUTHENTICATION_NOT_ENABLED,
   * MULTI_FACTOR_AUTHENTICATION_REQUIRED
   */
  signInWithPassword(credentials: Credentials): Promise<SignedIn>;
  /** @throws KnownError SIGN_UP_NOT_ENABLED, USER_EMAIL_ALREADY_EXISTS, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG */
  signUpWithPassword(input: Credentials & { verificationCallbackUrl: string }): Promise<SignedIn>;
  /** Does not reveal whether the user exists. @throws KnownError REDIRECT_URL_NOT_WHITELISTED */
  sendPasswordResetCode(input: { email: string; callbackUrl: string }): Promise<void>;
  /** Does not redeem the code. @throws KnownError of the family VERIFICATION_ERROR */
  checkPasswordResetCode(code: string): Promise<void>;
  /**
   * Ends every session of the user and does not sign in.
   * @throws KnownError VERIFICATION_ERROR, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG
   */
  resetPassword(input: { code: string; password: string }): Promise<void>;
  /**
   * Takes the code of a security notice. Ends every session of the user, removes the password, and sends a reset email
   * if possible.
   * @throws KnownError VERIFICATION_ERROR
   */
  reportActivity(code: string): Promise<{ isResetEmailSent: boolean }>;
  /**
   * Takes the code of an unsubscribe link and turns off the marketing emails of its user.
   * @throws KnownError VERIFICATION_CODE_NOT_FOUND
   */
  unsubscribe(code: string): Promise<void>;
  /**
   * Changes the signed-in user's password and ends their other sessions.
   * @throws KnownError PASSWORD_CONFIRMATION_MISMATCH, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG,
   * USER_DOES_NOT_HAVE_PASSWORD
   */
  updatePassword(input: { oldPassword: string; newPassword: string }): Promise<void>;
  /** For users without a password. @throws KnownError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG */
  setPassword(input: { password: string }): Promise<void>;
};

export const passwordAuth = ({ send, sendWithoutSession, session }: AuthParts): PasswordAuth => ({
  signInWithPassword: async ({ email, password }) =>
    adoptTokens(
      session,
      await send<TokensView>('POST', '/auth/password/sign-in', { email, password } satisfies PasswordSignIn),
    ),
  signUpWithPassword: async ({ email, password, verificationCallbackUrl }) => {
    const body: PasswordSignUp = { email, password, verification_callback_url: verificationCallbackUrl };
    return { ...adoptTokens(session, await send<TokensView>('POST', '/auth/password/sign-up', body)), isNewUser: true };
  },
  sendPasswordResetCode: async ({ email, callbackUrl }) => {
    const body: SendResetCode = { email, callback_url: callbackUrl };
    await sendWithoutSession('POST', '/auth/password/send-reset-code', body);
  },
  checkPasswordResetCode: async (code) => {
    await sendWithoutSession('POST', '/auth/password/reset/check-code', { code } satisfies CodeBody);
  },
  resetPassword: async ({ code, password }) => {
    await sendWithoutSession('POST', '/auth/password/reset', { code, password } satisfies PasswordReset);
  },
  reportActivity: async (code) => {
    const body = { code } satisfies ActivityReport;
    const answer = await sendWithoutSession<ActivityReported>('POST', '/auth/activity-reports', body);
    return { isResetEmailSent: answer.reset_email_sent };
  },
  unsubscribe: async (code) => {
    await sendWithoutSession('POST', `/emails/unsubscribe?${new URLSearchParams({ code })}`, {});
  },
  updatePassword: async ({ oldPassword, newPassword }) => {
    const body: PasswordUpdate = { old_password: oldPassword, new_password: newPassword };
    await send('POST', '/auth/password/update', body);
  },
  setPassword: async ({ password }) => {
    await send('POST', '/auth/password/set', { password } satisfies PasswordSet);
  },
});
