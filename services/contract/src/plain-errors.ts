import type { DomainErrorCode, PlainErrorCode } from '@gatebook/domain/errors';
import { type QuotaName, quotaRules } from '@gatebook/domain/project/quotas';
import { recentSignInMs } from '@gatebook/domain/session/authentication';
import { z } from 'zod';
import { gatebookErrors, type KnownError, knownErrors } from './errors.ts';

/** An error without a code on the wire: a status and one sentence in plain text (protocol, errors §11). */
export type PlainError = {
  status: number;
  text: string | ((facts: Readonly<Record<string, unknown>>) => string);
  headers?: Readonly<Record<string, string>>;
};

export const plainErrors = {
  USER_ALREADY_HAS_PASSWORD: { status: 400, text: 'The user already has a password. Change it instead.' },
  PASSWORD_REQUIRES_PRIMARY_EMAIL: { status: 400, text: 'A password requires a primary email address.' },
  PASSWORD_METHOD_DISABLED: { status: 400, text: 'Password sign-in is disabled for this project.' },
  PASSWORD_AND_HASH: { status: 400, text: 'Send either a password or a password hash, not both.' },
  PASSWORD_HASH_INVALID: {
    status: 400,
    text: 'The password hash must be bcrypt, Argon2id, scrypt, Firebase scrypt or PBKDF2 in a documented text form, and must take no more than about two seconds and 256 MiB to check.',
  },
  USER_ID_TAKEN: { status: 409, text: 'This ID belongs to another user, or to a team, project or email.' },
  SIGN_UP_TIME_IN_FUTURE: { status: 400, text: 'The time of the sign-up must not be in the future.' },
  USER_MERGE_WITH_ITSELF: { status: 400, text: 'A user can’t be merged with the same user. Choose another one.' },
  USER_MERGE_OF_PROJECT_MEMBER: {
    status: 409,
    text: 'The user to merge is a member of projects. Give their roles to the user who stays, and remove them there.',
  },
  OTP_METHOD_DISABLED: { status: 400, text: 'Sign-in with an email code is disabled for this project.' },
  EMAIL_FLAG_WITHOUT_EMAIL: {
    status: 400,
    text: 'A user without a primary email address can’t have it verified or used for sign-in.',
  },
  CLIENT_USER_DELETION_DISABLED: { status: 400, text: 'This project does not allow users to delete their accounts.' },
  CLIENT_IMAGE_INVALID: {
    status: 400,
    text: 'The profile image must be a base64 data URL of a PNG, JPEG, GIF, BMP or WebP image.',
  },
  PASSKEY_NOT_SETTABLE: {
    status: 400,
    text: 'Passkey sign-in can’t be enabled directly. The user must register a passkey.',
  },
  OTHER_USER_NOT_ALLOWED: { status: 403, text: 'Client access is limited to the signed-in user.' },
  IMPERSONATION_NOT_ALLOWED: {
    status: 403,
    text: 'An impersonation session can’t do this. The user must sign in and do it.',
  },
  REAUTHENTICATION_REQUIRED: {
    status: 401,
    text: 'Sign in again. This requires a sign-in within the last 10 minutes.',
    // RFC 9470 §3: how clients recognize it.
    headers: {
      'www-authenticate': `Bearer error="insufficient_user_authentication", error_description="A more recent sign-in is required", max_age="${recentSignInMs / 1000}"`,
    },
  },
  SESSION_NOT_FOUND: { status: 404, text: 'Session not found.' },
  DEFAULT_PERMISSION_UNKNOWN: { status: 400, text: 'A default permission does not exist in its scope.' },
  INTERNAL_PROJECT_NOT_DELETABLE: { status: 400, text: 'The project internal can’t be deleted.' },
  INTERNAL_PROJECT_NOT_TRANSFERABLE: { status: 400, text: 'The project internal can’t be transferred.' },
  TOKEN_OWNER_NOT_FOUND: { status: 401, text: 'The user of the admin access token no longer exists.' },
  PROJECT_KEYS_MISSING: { status: 404, text: 'Project not found.' },
  SETUP_ALREADY_COMPLETED: { status: 400, text: 'The setup link is invalid, or setup is already complete.' },
  OTP_SIGN_IN_DISABLED: { status: 403, text: 'Sign-in with an email code is disabled for this project.' },
  EMAIL_CHANNEL_NOT_FOUND: { status: 404, text: 'The user has no such contact channel.' },
  CHANNEL_OF_ANOTHER_USER: {
    status: 400,
    text: 'Client access is limited to the contact channels of the signed-in user.',
  },
  CONTACT_CHANNEL_EXISTS: { status: 400, text: 'The user already has a contact channel with this value.' },
  CONTACT_CHANNEL_NOT_FOUND: { status: 400, text: 'The user has no such contact channel.' },
  OAUTH_ACCOUNT_NOT_FOUND: { status: 404, text: 'The user has no such account at a provider.' },
  LAST_SIGN_IN_METHOD: {
    status: 400,
    text: 'The user has no other way to sign in. Set a password, register a passkey or connect another account first.',
  },
  UNVERIFIED_EMAIL_LIMIT_REACHED: {
    status: 400,
    text: 'The user has too many unverified email addresses. Verify or delete one first.',
  },
  CLI_LOGIN_CODE_INVALID: { status: 400, text: 'The login code is unknown, expired, or already used.' },
  CLI_LOGIN_OF_ANOTHER_PROJECT: {
    status: 400,
    text: 'The login code belongs to another project. Check the app URL that the CLI uses.',
  },
  NOTIFICATION_CATEGORY_REQUIRED: { status: 400, text: 'Emails of this category can’t be turned off.' },
  NOTIFICATION_CATEGORY_NOT_FOUND: { status: 404, text: 'Notification category not found.' },
  CLI_ANONYMOUS_SESSION_NOT_FOUND: {
    status: 400,
    text: 'No anonymous session is waiting: the CLI had none, or it has ended or was already handed over.',
  },
  EMAIL_NOT_FOUND: { status: 404, text: 'Email not found.' },
  EMAIL_TEMPLATE_NOT_FOUND: { status: 404, text: 'Email template not found.' },
  EMAIL_THEME_NOT_FOUND: { status: 404, text: 'Email theme not found. Gatebook has no themes.' },
  EMAIL_DRAFT_NOT_FOUND: { status: 404, text: 'Email draft not found. Gatebook has no drafts.' },
  EMAIL_TEMPLATES_FIXED: {
    status: 400,
    text: 'Gatebook has no email themes, no drafts, and no templates besides the built-in ones. Change those instead.',
  },
  EMAIL_SCHEDULED_TOO_LATE: { status: 400, text: 'The email expires before this time.' },
  EMAIL_CONTENT_NOT_EDITABLE: {
    status: 400,
    text: 'Content and recipient of an email can’t be changed. Cancel the email and send another one.',
  },
  EMAIL_NOT_RETRYABLE: {
    status: 400,
    text: 'The email can’t be sent again: it was sent, is queued, or has expired.',
  },
  EMAIL_CONFIG_SHARED: {
    status: 400,
    text: 'Templates can only be changed if the project uses its own mail server.',
  },
  EMAIL_TEST_RECIPIENT_MISSING: {
    status: 400,
    text: 'Test emails of templates go to the signed-in member, who needs an email address.',
  },
  EMAIL_CONTENT_INVALID: { status: 400, text: 'The content is not a valid email template.' },
  EMAIL_TEMPLATE_ALREADY_DEFAULT: { status: 404, text: 'The template is already the default.' },
  PERMISSION_CYCLE: { status: 400, text: 'A permission can’t contain itself, directly or through other permissions.' },
  CLIENT_TEAM_CREATION_DISABLED: { status: 403, text: 'This project does not allow users to create teams.' },
  TEAM_CREATOR_AMBIGUOUS: { status: 400, text: 'Send either creator_user_id or add_current_user, not both.' },
  TEAM_CREATOR_NOT_SIGNED_IN: { status: 401, text: 'add_current_user requires a signed-in user.' },
  TEAM_ID_MISSING: { status: 400, text: 'Client access must send a team_id.' },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    text: 'The header Idempotency-Key must have 1 to 255 printable ASCII characters without spaces.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    text: 'This Idempotency-Key was used for a different request. Use a new key.',
  },
  REQUEST_STILL_RUNNING: {
    status: 409,
    text: 'A request with this Idempotency-Key is still being processed. Retry in a moment.',
  },
  RESPONSE_LOST: {
    status: 409,
    text: 'The request with this Idempotency-Key was executed, but its response is lost. Read the resource to see what changed.',
  },
  USER_API_KEYS_DISABLED: { status: 400, text: 'User API keys are disabled for this project.' },
  TEAM_API_KEYS_DISABLED: { status: 400, text: 'Team API keys are disabled for this project.' },
  QUOTA_EXCEEDED: {
    status: 400,
    text: ({ quota, limit }) =>
      `The limit of ${limit} ${isQuotaName(quota) ? quotaRules[quota].things : 'items'} is reached. Delete one first, or ask the project owner to raise the limit.`,
  },
  INVITATION_NOT_FOUND: { status: 404, text: 'There is no such pending invitation.' },
  PROJECTION_VERSION_NOT_FOUND: { status: 404, text: 'Projection version not found.' },
  PROJECTION_VERSION_NOT_READY: { status: 409, text: 'This projection version is still being built.' },
  PROJECTION_VERSION_STOPPED: {
    status: 409,
    text: 'A projection version has stopped at an event that it can’t apply.',
  },
  PROJECTION_VERSION_BEHIND: {
    status: 409,
    text: 'This projection version is not catching up with the live version. Check that a projector is running.',
  },
  PROJECTION_VERSION_IN_USE: {
    status: 409,
    text: 'This projection version is live, or this version of Gatebook needs it.',
  },
  PROJECTION_VERSION_INCOMPATIBLE: {
    status: 409,
    text: 'This projection version belongs to another version of Gatebook. Only that version can build or promote it.',
  },
  READ_MODELS_NOT_BUILT: { status: 409, text: 'This projection group is being built for the first time.' },
  CROSS_SITE_REQUEST_NOT_ALLOWED: {
    status: 403,
    text: 'A page of another site can’t send this request. Call the API with fetch, or open the URL directly.',
  },
  OAUTH_COOKIE_MISSING: {
    status: 400,
    text: 'This sign-in was not started in this browser, or has already ended. Go back to the app and sign in again.',
  },
  OAUTH_AUTHORIZATION_REQUEST_UNKNOWN: {
    status: 400,
    text: 'This sign-in is unknown or already complete. Sign in again.',
  },
  OAUTH_LINK_OF_ANOTHER_PROJECT: { status: 403, text: 'The access token belongs to another project.' },
  OAUTH_PROVIDER_CODE_REJECTED: {
    status: 400,
    text: 'The provider rejected the authorization code: it is wrong, expired, or already used. Sign in again.',
  },
  OAUTH_PROVIDER_KEYS_REJECTED: {
    status: 400,
    text: 'The provider rejected the client ID and secret of this project. The project owner must correct them.',
  },
  OAUTH_PROVIDER_SCOPE_REJECTED: { status: 400, text: 'The provider rejected a requested scope.' },
  OAUTH_PROVIDER_RESPONSE_INVALID: {
    status: 400,
    text: 'The provider’s response is invalid. Try again, or sign in another way.',
  },
  OAUTH_PROVIDER_UNREACHABLE: {
    status: 400,
    text: 'The provider did not respond correctly or in time. Try again in a moment.',
  },
  OAUTH_PROVIDER_EMAIL_MISSING: {
    status: 400,
    text: 'The provider did not return an email address, which is required. Allow it there, or sign in another way.',
  },
  USER_OAUTH_PROVIDER_UNKNOWN: { status: 400, text: 'A provider of the user is not enabled for this project.' },
} satisfies Record<PlainErrorCode, PlainError>;

const isQuotaName = (name: unknown): name is QuotaName => typeof name === 'string' && Object.hasOwn(quotaRules, name);

export const plainText = ({ text }: PlainError, facts: Readonly<Record<string, unknown>>): string =>
  typeof text === 'string' ? text : text(facts);

/** The response of every domain error. A code without a response does not compile. */
export const rejections: Readonly<Record<DomainErrorCode, KnownError | PlainError>> = {
  ...knownErrors,
  ...gatebookErrors,
  ...plainErrors,
};

/** Body of every error with a code. Omits `details` if the code has none. */
export const ErrorBody = z
  .object({ code: z.string(), details: z.record(z.string(), z.unknown()).optional(), error: z.string() })
  .meta({ id: 'Error', description: 'A known error. The code is also in the header x-stack-known-error.' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** Contains exactly the details of the catalog. Other facts are only used in the text. */
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
