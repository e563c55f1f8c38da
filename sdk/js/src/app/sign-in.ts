import { adoptTokens, type SignedIn } from '../auth/parts.ts';
import type { PasskeySignInOptions } from '../auth/passkey.ts';
import { attemptCodeName, attemptCodeOf } from '../auth/second-factor.ts';
import { continueAfterSignIn, type Redirects } from '../redirects.ts';
import type { Send } from '../transport.ts';
import type { UrlName } from '../urls.ts';
import type { Connection } from './connection.ts';
import { type Result, toResult } from './result.ts';

export type NoRedirect = { noRedirect?: boolean };
/** Sign-in calls store their tokens in the app's own token store and redirect, unless `noRedirect` is set. */
export type SignInMethods = {
  signInWithCredential(options: { email: string; password: string } & NoRedirect): Promise<Result>;
  signUpWithCredential(
    options: { email: string; password: string } & NoRedirect &
      (
        | { noVerificationCallback: true }
        /** Outside a browser, pass the URL of the page that verifies addresses. */
        | { noVerificationCallback?: false; verificationCallbackUrl?: string }
      ),
  ): Promise<Result>;
  /** Succeeds for unknown addresses too. Outside a browser, pass the URL of the page; the same for the next one. */
  sendForgotPasswordEmail(email: string, options?: { callbackUrl?: string }): Promise<Result>;
  sendMagicLinkEmail(email: string, options?: { callbackUrl?: string }): Promise<Result<{ nonce: string }>>;
  /** Takes the code of the link, or the six characters of the email followed by the nonce. */
  signInWithMagicLink(code: string, options?: NoRedirect): Promise<Result>;
  /** `code`: the attempt code of the sign-in. */
  signInWithMfa(otp: string, code: string, options?: NoRedirect): Promise<Result>;
  signInWithPasskey(options?: PasskeySignInOptions): Promise<Result>;
  verifyPasswordResetCode(code: string): Promise<Result>;
  resetPassword(options: { code: string; password: string }): Promise<Result>;
  verifyEmail(code: string): Promise<Result>;
  verifyTeamInvitationCode(code: string): Promise<Result>;
  acceptTeamInvitation(code: string): Promise<Result>;
  getTeamInvitationDetails(code: string): Promise<Result<{ teamDisplayName: string }>>;
};

type Parts = {
  own: () => Connection;
  sendWithoutSession: Send;
  redirects: Redirects;
  canRedirect: boolean;
  callbackUrl: (entry: UrlName, given?: string) => string;
  signInWithPasskey: (options?: PasskeySignInOptions) => Promise<SignedIn>;
};
type Tokens = { access_token: string; refresh_token: string; is_new_user?: boolean };

/** (protocol, client §12.1, §12.2, §12.5) */
export function signInMethods(parts: Parts): SignInMethods {
  const { own, sendWithoutSession, callbackUrl } = parts;
  const signIn = (call: Promise<Tokens>, options?: NoRedirect) => {
    const signedIn = call.then((tokens) => adoptTokens(own().session, tokens));
    return finishSignIn(parts, signedIn, options);
  };
  const nothing = async (call: Promise<unknown>) => void (await call);
  const invitationPath = '/team-invitations/accept';
  return {
    signInWithCredential: ({ email, password, ...options }) => {
      const call = own().send<Tokens>('POST', '/auth/password/sign-in', { email, password });
      return toResult(signIn(call, options), 'EMAIL_PASSWORD_MISMATCH', 'INVALID_TOTP_CODE');
    },
    signUpWithCredential: async ({ email, password, ...options }) => {
      const verification_callback_url = options.noVerificationCallback
        ? undefined
        : callbackUrl('emailVerification', options.verificationCallbackUrl);
      const body = { email, password, verification_callback_url };
      const call = own()
        .send<Tokens>('POST', '/auth/password/sign-up', body)
        .then((tokens) => ({ ...tokens, is_new_user: true }));
      return toResult(signIn(call, options), 'USER_EMAIL_ALREADY_EXISTS', 'PASSWORD_REQUIREMENTS_NOT_MET');
    },
    sendForgotPasswordEmail: async (email, options) => {
      const body = { email, callback_url: callbackUrl('passwordReset', options?.callbackUrl) };
      return toResult(nothing(sendWithoutSession('POST', '/auth/password/send-reset-code', body)), 'USER_NOT_FOUND');
    },
    sendMagicLinkEmail: async (email, options) => {
      const body = { email, callback_url: callbackUrl('magicLinkCallback', options?.callbackUrl) };
      const call = sendWithoutSession<{ nonce: string }>('POST', '/auth/otp/send-sign-in-code', body);
      return toResult(call, 'REDIRECT_URL_NOT_WHITELISTED');
    },
    signInWithMagicLink: (code, options) => {
      const call = sendWithoutSession<Tokens>('POST', '/auth/otp/sign-in', { code });
      return toResult(signIn(call, options), 'VERIFICATION_ERROR', 'INVALID_TOTP_CODE');
    },
    signInWithMfa: (totp, code, options) => {
      const call = sendWithoutSession<Tokens>('POST', '/auth/mfa/sign-in', { code, type: 'totp', totp });
      return toResult(signIn(call, options), 'VERIFICATION_ERROR', 'INVALID_TOTP_CODE');
    },
    signInWithPasskey: (options) =>
      toResult(
        finishSignIn(parts, parts.signInWithPasskey(options)),
        'PASSKEY_AUTHENTICATION_FAILED',
        'PASSKEY_WEBAUTHN_ERROR',
        'INVALID_TOTP_CODE',
      ),
    verifyPasswordResetCode: (code) =>
      toResult(nothing(sendWithoutSession('POST', '/auth/password/reset/check-code', { code })), 'VERIFICATION_ERROR'),
    resetPassword: ({ code, password }) =>
      toResult(nothing(sendWithoutSession('POST', '/auth/password/reset', { code, password })), 'VERIFICATION_ERROR'),
    verifyEmail: async (code) => {
      const { send, cache } = own();
      const verified = await toResult(
        nothing(send('POST', '/contact-channels/verify', { code })),
        'VERIFICATION_ERROR',
      );
      await cache.refresh('/users', '/contact-channels');
      return verified;
    },
    verifyTeamInvitationCode: (code) =>
      toResult(nothing(own().send('POST', `${invitationPath}/check-code`, { code })), 'VERIFICATION_ERROR'),
    getTeamInvitationDetails: (code) => {
      const call = own().send<{ team_display_name: string }>('POST', `${invitationPath}/details`, { code });
      return toResult(
        call.then(({ team_display_name: teamDisplayName }) => ({ teamDisplayName })),
        'VERIFICATION_ERROR',
      );
    },
    acceptTeamInvitation: async (code) => {
      const { send, cache } = own();
      const accepted = await toResult(nothing(send('POST', invitationPath, { code })), 'VERIFICATION_ERROR');
      await cache.refresh('/team', '/users');
      return accepted;
    },
  };
}

async function finishSignIn(
  parts: Pick<Parts, 'redirects' | 'canRedirect'>,
  call: Promise<SignedIn>,
  { noRedirect = false }: NoRedirect = {},
): Promise<undefined> {
  const signedIn = await (noRedirect ? call : orSecondFactor(parts, call));
  if (!noRedirect) await continueAfterSignIn(parts.redirects, signedIn);
}

/** If a sign-in needs a second factor, goes on at its page and never resolves. @throws every other error */
export async function orSecondFactor<Value>(
  { redirects, canRedirect }: Pick<Parts, 'redirects' | 'canRedirect'>,
  call: Promise<Value>,
): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    const attemptCode = attemptCodeOf(error);
    if (attemptCode === null || !canRedirect) throw error;
    sessionStorage.setItem(attemptCodeName, attemptCode);
    await redirects.to('mfa');
    return new Promise(() => {});
  }
}
