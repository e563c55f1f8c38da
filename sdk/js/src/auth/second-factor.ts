import type { SecondFactor, SignInView } from '@gatebook/contract/auth';
import { isKnownError } from '../errors.ts';
import { type AuthParts, adoptTokens, type SignedIn } from './parts.ts';

export type SecondFactorAuth = {
  /**
   * Completes a sign-in that requires a second factor. A wrong code can be retried for five minutes.
   * @throws KnownError INVALID_TOTP_CODE, VERIFICATION_ERROR
   */
  signInWithSecondFactor(input: { attemptCode: string; totp: string }): Promise<SignedIn>;
};

export const secondFactorAuth = ({ sendWithoutSession, session }: AuthParts): SecondFactorAuth => ({
  signInWithSecondFactor: async ({ attemptCode, totp }) => {
    const body: SecondFactor = { code: attemptCode, type: 'totp', totp };
    return adoptTokens(session, await sendWithoutSession<SignInView>('POST', '/auth/mfa/sign-in', body));
  },
});

/** The name in `sessionStorage` that the page for the second factor reads (protocol, client §A.2). */
export const attemptCodeName = 'stack_mfa_attempt_code';

/** The attempt code of a sign-in that requires a second factor; null for other errors. */
export function attemptCodeOf(error: unknown): string | null {
  if (!isKnownError(error, 'MULTI_FACTOR_AUTHENTICATION_REQUIRED')) return null;
  const { attempt_code: attemptCode } = error.details;
  return typeof attemptCode === 'string' ? attemptCode : null;
}
