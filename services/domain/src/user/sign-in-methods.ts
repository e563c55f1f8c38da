import { reject } from '../errors.ts';
import {
  type ProveAddress,
  proveAddress,
  type ReleaseAddress,
  releaseAddress,
  type VerifyEmail,
  verifyEmail,
} from './address-proof.ts';
import type { Passkey, SignInMethod, UserEvent } from './events.ts';
import { decideOAuthAccount, type OAuthAccountCommand } from './oauth-accounts.ts';
import { signsInWith } from './sign-in-emails.ts';
import { type ActiveUser, maxTotpRejections } from './state.ts';

/** Display name of an anonymous user until they sign up (protocol, auth §6). */
export const anonymousName = 'Anonymous user';

type RequestPasswordReset = { type: 'RequestPasswordReset'; codeId: string; at: string };
/**
 * Sets the first or a new password with the code of a reset email. `codeId` null: any code sent to the address is
 * accepted.
 */
type ResetPassword = { type: 'ResetPassword'; codeId: string | null; passwordHash: string; at: string };
/** The owner of a verified address may sign in with an emailed code (protocol, auth §3.1). */
type AllowSignInCode = { type: 'AllowSignInCode'; at: string };
type UpgradeUser = {
  type: 'UpgradeUser';
  method: SignInMethod;
  email: { channelId: string; value: string; isVerified: boolean } | null;
  passwordHash: string | null;
  isOtpEnabled: boolean;
  at: string;
};
/** base64 of the raw secret; null turns the second factor off. */
type ChangeTotpSecret = { type: 'ChangeTotpSecret'; secret: string | null; at: string };
/** `step` is the time step of the entered code; null when the code is wrong. */
type UseTotp = { type: 'UseTotp'; step: number | null; at: string };
/** A wrong or already used code. */
type RejectTotp = { type: 'RejectTotp'; at: string };
/** `failures` within `minutes` reached the limit of the user's sign-ins. */
type ThrottleSignIns = { type: 'ThrottleSignIns'; failures: number; minutes: number; at: string };
type RegisterPasskey = { type: 'RegisterPasskey'; passkey: Passkey; at: string };
/** An assertion by this credential was verified. `counter` is the value in the assertion. */
type UsePasskey = { type: 'UsePasskey'; credentialId: string; counter: number; at: string };
type RemovePasskey = { type: 'RemovePasskey'; at: string };
/**
 * The owner of an address did not make the reported change. `address`: the recipient of the notice. A password is
 * removed only if the user can set a new one with that address.
 */
type ReportActivity = { type: 'ReportActivity'; address: string; at: string };

export type SignInMethodCommand =
  | RequestPasswordReset
  | ResetPassword
  | VerifyEmail
  | ProveAddress
  | ReleaseAddress
  | AllowSignInCode
  | UpgradeUser
  | ChangeTotpSecret
  | UseTotp
  | RejectTotp
  | ThrottleSignIns
  | RegisterPasskey
  | UsePasskey
  | RemovePasskey
  | ReportActivity
  | OAuthAccountCommand;

export function decideSignInMethod(command: SignInMethodCommand, user: ActiveUser): readonly UserEvent[] {
  const { userId } = user;
  const { at } = command;
  switch (command.type) {
    case 'RequestPasswordReset':
      return [{ type: 'PasswordResetRequested', data: { userId, codeId: command.codeId, at } }];
    case 'ResetPassword':
      if (command.codeId !== null && command.codeId !== user.resetCode?.codeId)
        return reject('VERIFICATION_CODE_EXPIRED');
      return [
        { type: 'UserPasswordSet', data: { userId, passwordHash: command.passwordHash, origin: 'reset', at } },
        { type: 'UserSessionsEnded', data: { userId, keptSessionId: null, reason: 'password_reset', at } },
      ];
    case 'VerifyEmail':
      return verifyEmail(command, user);
    case 'ProveAddress':
      return proveAddress(command, user);
    case 'ReleaseAddress':
      return releaseAddress(command, user);
    case 'AllowSignInCode':
      return user.isOtpEnabled ? [] : [{ type: 'OtpAuthChanged', data: { userId, isEnabled: true, at } }];
    case 'UpgradeUser':
      return upgradeUser(command, user);
    case 'ChangeTotpSecret': {
      const { secret } = command;
      if (secret === null && user.totp === null) return [];
      return [{ type: 'TotpSecretChanged', data: { userId, secret, isEnabled: secret !== null, at } }];
    }
    case 'UseTotp':
      return acceptTotp(command, user);
    case 'RejectTotp':
      return user.totp === null || isTotpBlocked(user.totp, at) ? [] : [{ type: 'TotpRejected', data: { userId, at } }];
    case 'ThrottleSignIns': {
      const { failures, minutes } = command;
      // Calls whose outcome was unknown are repeated, also after a later one was recorded.
      const recordedAt = Date.parse(user.signInsThrottledAt ?? '');
      if (Date.parse(at) - recordedAt < minutes * 60_000) return [];
      return [{ type: 'SignInsThrottled', data: { userId, failures, minutes, at } }];
    }
    case 'RegisterPasskey':
      return [{ type: 'PasskeyRegistered', data: { userId, passkey: command.passkey, at } }];
    case 'UsePasskey':
      return acceptPasskey(command, user);
    case 'RemovePasskey':
      return user.passkey === null ? [] : [{ type: 'PasskeyRemoved', data: { userId, at } }];
    case 'ReportActivity':
      return reportActivity(command, user);
    case 'LinkOAuthAccount':
    case 'ChangeOAuthAccount':
    case 'UnlinkOAuthAccount':
      return decideOAuthAccount(command, user);
  }
}

/** An attacker with a stolen password must not be able to sign in again before the owner chooses a new one. */
function reportActivity({ address, at }: ReportActivity, user: ActiveUser): readonly UserEvent[] {
  const { userId, hasPassword } = user;
  const reason = 'activity_report' as const;
  const ended: UserEvent = { type: 'UserSessionsEnded', data: { userId, keptSessionId: null, reason, at } };
  if (!hasPassword || !signsInWith(user, address)) return [ended];
  return [{ type: 'UserPasswordRemoved', data: { userId, at } }, ended];
}

/** The user ID stays. Tokens of the anonymous session end, unless a server made the change. */
function upgradeUser(command: UpgradeUser, user: ActiveUser): readonly UserEvent[] {
  const { method, email, passwordHash, isOtpEnabled, at } = command;
  const { userId, projectId } = user;
  if (!user.isAnonymous) return [];
  const events: UserEvent[] = [{ type: 'UserUpgraded', data: { userId, projectId, method, at } }];
  if (method === 'server') return events;
  if (user.displayName === anonymousName) events.push({ type: 'UserRenamed', data: { userId, displayName: null, at } });
  if (email) {
    const flags = { channelType: 'email' as const, isPrimary: true, usedForAuth: true };
    events.push({ type: 'ContactChannelAdded', data: { userId, ...email, ...flags, at } });
  }
  if (passwordHash !== null) {
    events.push({ type: 'UserPasswordSet', data: { userId, passwordHash, origin: 'sign_up', at } });
  }
  if (isOtpEnabled && !user.isOtpEnabled)
    events.push({ type: 'OtpAuthChanged', data: { userId, isEnabled: true, at } });
  events.push({ type: 'UserSessionsEnded', data: { userId, keptSessionId: null, reason: 'upgrade', at } });
  return events;
}

/** Accepts each time step once (RFC 6238 §5.2), so an observed code is useless. */
function acceptTotp({ step, at }: UseTotp, { userId, totp }: ActiveUser): readonly UserEvent[] {
  if (totp === null) return reject('VERIFICATION_CODE_NOT_FOUND');
  if (step === null || step <= totp.lastStep || isTotpBlocked(totp, at)) return reject('INVALID_TOTP_CODE');
  return [{ type: 'TotpUsed', data: { userId, step, at } }];
}

const totpWindowMs = 60 * 60_000;

/**
 * Limits wrong codes per user: with 20 tries per attempt alone, an attacker who knows the password could start many
 * attempts.
 */
function isTotpBlocked({ rejectedAt }: NonNullable<ActiveUser['totp']>, at: string): boolean {
  const recent = rejectedAt.filter((time) => Date.parse(at) - Date.parse(time) < totpWindowMs);
  return recent.length >= maxTotpRejections;
}

/** A counter that does not increase indicates a cloned authenticator (WebAuthn L3 §6.1.1). */
function acceptPasskey(
  { credentialId, counter, at }: UsePasskey,
  { userId, passkey }: ActiveUser,
): readonly UserEvent[] {
  const message = 'The passkey could not be verified.';
  if (passkey?.credentialId !== credentialId) return reject('PASSKEY_AUTHENTICATION_FAILED', { message });
  const isCounting = counter !== 0 || passkey.counter !== 0;
  if (isCounting && counter <= passkey.counter) return reject('PASSKEY_AUTHENTICATION_FAILED', { message });
  return [{ type: 'PasskeyUsed', data: { userId, counter, at } }];
}
