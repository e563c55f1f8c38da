import type { DomainErrorCode, PlainErrorCode } from '@gatebook/domain/errors';
import { type QuotaName, quotaRules } from '@gatebook/domain/project/quotas';
import { recentSignInMs } from '@gatebook/domain/session/authentication';
import { z } from 'zod';
import { type KnownError, knownErrors } from './errors.ts';

/** A rejection without a code: a status and one sentence in plain text (errors.md §11). */
export type PlainAnswer = {
  status: number;
  text: string | ((facts: Readonly<Record<string, unknown>>) => string);
  headers?: Readonly<Record<string, string>>;
};

export const plainErrors = {
  USER_HAS_PASSWORD_ALREADY: { status: 400, text: 'This user has a password already. Update it instead.' },
  PASSWORD_NEEDS_PRIMARY_EMAIL: { status: 400, text: 'A password needs a primary e-mail address.' },
  PASSWORD_METHOD_IS_OFF: { status: 400, text: 'Sign-in by password is off for this project.' },
  PASSWORD_AND_HASH: { status: 400, text: 'Give either a password or a password hash, not both.' },
  PASSWORD_HASH_INVALID: {
    status: 400,
    text: 'The password hash must be bcrypt in modular crypt format ($2a$, $2b$ or $2y$) with a cost of at most 16.',
  },
  OTP_METHOD_IS_OFF: { status: 400, text: 'Sign-in by e-mail code is off for this project.' },
  EMAIL_FLAG_WITHOUT_EMAIL: {
    status: 400,
    text: 'A user without a primary e-mail address can not have it verified or used for sign-in.',
  },
  CLIENT_USER_DELETION_IS_OFF: { status: 400, text: 'Users can not delete themselves in this project.' },
  CLIENT_IMAGE_INVALID: {
    status: 400,
    text: 'The profile image must be a base64 data URL of a PNG, JPEG, GIF, BMP or WebP image.',
  },
  PASSKEY_SET_BY_HAND: { status: 400, text: 'A passkey can not be switched on by hand; the user has to register one.' },
  ACTS_ON_ANOTHER_USER: { status: 403, text: 'Client access may only act on the signed-in user.' },
  IMPERSONATION_NOT_ALLOWED: {
    status: 403,
    text: 'Someone who acts for a user can not do this. Only the user can, after signing in.',
  },
  REAUTHENTICATION_REQUIRED: {
    status: 401,
    text: 'Sign in again to do this. It needs a sign-in of the last 10 minutes.',
    // RFC 9470 §3: how clients recognize it.
    headers: {
      'www-authenticate': `Bearer error="insufficient_user_authentication", error_description="A more recent sign-in is required", max_age="${recentSignInMs / 1000}"`,
    },
  },
  SESSION_NOT_FOUND: { status: 404, text: 'There is no such session.' },
  DEFAULT_PERMISSION_UNKNOWN: { status: 400, text: 'A default permission is not known in its scope.' },
  INTERNAL_PROJECT_STAYS: { status: 400, text: 'The project internal can not be deleted.' },
  OWNER_OF_TOKEN_GONE: { status: 401, text: 'The user of the admin access token no longer exists.' },
  PROJECT_WITHOUT_KEYS: { status: 404, text: 'There is no such project.' },
  SETUP_IS_DONE: { status: 400, text: 'This set-up link is not valid, or the set-up is done already.' },
  OTP_SIGN_IN_IS_OFF: { status: 403, text: 'Sign-in by e-mail code is off for this project.' },
  EMAIL_CHANNEL_NOT_FOUND: { status: 404, text: 'There is no such contact channel of this user.' },
  CHANNEL_OF_ANOTHER_USER: {
    status: 400,
    text: 'Client access may only act on the contact channels of the signed-in user.',
  },
  CONTACT_CHANNEL_EXISTS: { status: 400, text: 'The user has a contact channel with this value already.' },
  CONTACT_CHANNEL_UNKNOWN: { status: 400, text: 'The user has no such contact channel.' },
  UNVERIFIED_EMAIL_LIMIT_REACHED: {
    status: 400,
    text: 'The user has too many unverified email addresses. Verify or remove one first.',
  },
  CLI_LOGIN_CODE_INVALID: { status: 400, text: 'The login code is not known, has expired, or was used already.' },
  CLI_LOGIN_OF_ANOTHER_PROJECT: {
    status: 400,
    text: 'The login code belongs to another project. Check the address of the app that the command line was given.',
  },
  EMAIL_NOT_FOUND: { status: 404, text: 'There is no such e-mail.' },
  EMAIL_NOT_RETRYABLE: {
    status: 400,
    text: 'This e-mail can not be sent again: it was sent, is waiting, or has expired.',
  },
  EMAIL_CONFIG_IS_SHARED: {
    status: 400,
    text: 'Templates can be changed once the project sends through a mail server of its own.',
  },
  EMAIL_CONTENT_INVALID: { status: 400, text: 'The content is not a valid e-mail template.' },
  EMAIL_TEMPLATE_IS_DEFAULT: { status: 404, text: 'The template is at its default already.' },
  PERMISSION_CYCLE: { status: 400, text: 'A permission can not contain itself, neither directly nor through others.' },
  CLIENT_TEAM_CREATION_IS_OFF: { status: 403, text: 'Users can not create teams in this project.' },
  TEAM_CREATOR_TWICE: { status: 400, text: 'Give either creator_user_id or add_current_user, not both.' },
  TEAM_CREATOR_NOT_SIGNED_IN: { status: 401, text: 'add_current_user needs a signed-in user.' },
  TEAM_ID_MISSING: { status: 400, text: 'Client access has to give a team_id.' },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    text: 'The header Idempotency-Key must have 1 to 255 printable ASCII characters without spaces.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 409, text: 'This Idempotency-Key was used for another request. Take a new one.' },
  REQUEST_STILL_RUNNING: {
    status: 409,
    text: 'A request with this Idempotency-Key is still being worked on. Ask again in a moment.',
  },
  REQUEST_ANSWER_LOST: {
    status: 409,
    text: 'The request with this Idempotency-Key was carried out, but its answer is lost. Look at what it changed.',
  },
  USER_API_KEYS_ARE_OFF: { status: 400, text: 'API keys of users are off for this project.' },
  TEAM_API_KEYS_ARE_OFF: { status: 400, text: 'API keys of teams are off for this project.' },
  QUOTA_EXCEEDED: {
    status: 400,
    text: ({ quota, limit }) =>
      `The limit of ${limit} ${isQuotaName(quota) ? quotaRules[quota].things : 'items'} is reached. Delete one first, or ask the project owner to raise the limit.`,
  },
  INVITATION_NOT_FOUND: { status: 404, text: 'The team has no such open invitation.' },
  PROJECTION_VERSION_NOT_FOUND: { status: 404, text: 'There is no such projection version of read models.' },
  PROJECTION_VERSION_NOT_READY: { status: 409, text: 'This projection version is still being built.' },
  PROJECTION_VERSION_STOPPED: {
    status: 409,
    text: 'A projection version has met an event that it can not apply, and does not follow the log.',
  },
  PROJECTION_VERSION_BEHIND: {
    status: 409,
    text: 'This projection version does not get level with the live one. Is a projector running?',
  },
  PROJECTION_VERSION_IN_USE: {
    status: 409,
    text: 'This projection version is the live one, or this version of Gatebook needs it.',
  },
  PROJECTION_VERSION_OF_ANOTHER_VERSION: {
    status: 409,
    text: 'These read models are of another version than this server. Only their own version builds them or switches to them.',
  },
  READ_MODELS_NOT_BUILT: { status: 409, text: 'These read models are being built already, for the first time.' },
  CROSS_SITE_REQUEST_NOT_ALLOWED: {
    status: 403,
    text: 'A page of another site can not send this request. Call the API by fetch, or open this address itself.',
  },
  OAUTH_COOKIE_MISSING: {
    status: 400,
    text: 'This sign-in was not begun in this browser, or is over already. Go back to the app and sign in again.',
  },
  OAUTH_AUTHORIZATION_REQUEST_UNKNOWN: {
    status: 400,
    text: 'This sign-in is not known or was finished already. Sign in again.',
  },
  OAUTH_LINK_OF_ANOTHER_PROJECT: { status: 403, text: 'The access token belongs to another project.' },
  OAUTH_PROVIDER_CODE_REJECTED: {
    status: 400,
    text: 'The provider did not accept its own code: it is wrong, too old or was used already. Sign in again.',
  },
  OAUTH_PROVIDER_KEYS_REJECTED: {
    status: 400,
    text: 'The provider did not accept the client id and secret of this project. Its owner has to correct them.',
  },
  OAUTH_PROVIDER_SCOPE_REJECTED: { status: 400, text: 'The provider rejected a scope that was asked for.' },
  OAUTH_PROVIDER_ANSWER_INVALID: {
    status: 400,
    text: 'The answer of the provider could not be used. Try again, or sign in another way.',
  },
  OAUTH_PROVIDER_UNREACHABLE: {
    status: 400,
    text: 'The provider did not answer as it should, or not in time. Try again in a moment.',
  },
  OAUTH_PROVIDER_GAVE_NO_EMAIL: {
    status: 400,
    text: 'The provider told no e-mail address, which is needed. Allow it there, or sign in another way.',
  },
  OAUTH_PROVIDER_OF_USER_UNKNOWN: { status: 400, text: 'A provider of the user is not enabled for this project.' },
} satisfies Record<PlainErrorCode, PlainAnswer>;

const isQuotaName = (name: unknown): name is QuotaName => typeof name === 'string' && Object.hasOwn(quotaRules, name);

export const plainText = ({ text }: PlainAnswer, facts: Readonly<Record<string, unknown>>): string =>
  typeof text === 'string' ? text : text(facts);

/** Every rejection has its answer: a code without one does not compile. */
export const rejections: Readonly<Record<DomainErrorCode, KnownError | PlainAnswer>> = {
  ...knownErrors,
  ...plainErrors,
};

/** Body of every answer with a code. `details` is left out where the code has none. */
export const ErrorBody = z
  .object({ code: z.string(), details: z.record(z.string(), z.unknown()).optional(), error: z.string() })
  .meta({ id: 'Error', description: 'A known error; the code stands in the header x-stack-known-error too.' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** Exactly the details of the catalogue; what else came with the rejection only serves the text. */
export function errorBody(
  code: DomainErrorCode,
  { details, text }: KnownError,
  facts: Readonly<Record<string, unknown>>,
): ErrorBody {
  const error = text(facts);
  if (!details) return { code, error };
  const named = Object.keys(details.shape).map((name) => [name, facts[name] ?? null]);
  return { code, details: Object.fromEntries(named), error };
}
