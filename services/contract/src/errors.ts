import type { GatebookErrorCode, KnownErrorCode } from '@gatebook/domain/errors';
import { type ProjectRole as Role, roleName } from '@gatebook/domain/project/roles';
import { z } from 'zod';
import { ChangeTarget, UndoConflict } from './previews.ts';
import { ProjectRole } from './project-members.ts';

type Facts = Readonly<Record<string, unknown>>;

/**
 * Status, details and text of a code. Status and details are fixed by the protocol; the text is not (protocol, errors).
 */
export type KnownError = { status: number; details: z.ZodObject | null; text: (facts: Facts) => string };

const string = z.string();
const nullableNumber = z.number().nullable();
const plainText = (text: string | ((facts: Facts) => string)) => (typeof text === 'string' ? () => text : text);

/** Without details. The text may still use the facts of the rejection. */
const withoutDetails = (status: number, text: string | ((facts: Facts) => string)): KnownError => ({
  status,
  details: null,
  text: plainText(text),
});
const withDetails = (status: number, shape: z.ZodRawShape, text: string | ((facts: Facts) => string)): KnownError => ({
  status,
  details: z.object(shape),
  text: plainText(text),
});

const keyNames = {
  client: 'publishable client key (x-stack-publishable-client-key)',
  server: 'secret server key (x-stack-secret-server-key)',
  admin: 'super secret admin key (x-stack-super-secret-admin-key)',
};
const keyRequired = (...kinds: (keyof typeof keyNames)[]) =>
  withoutDetails(401, `This request requires a ${kinds.map((kind) => keyNames[kind]).join(' or a ')} of the project.`);
const invalidKey = (kind: keyof typeof keyNames) =>
  withDetails(
    401,
    { project_id: string },
    (facts) => `The ${keyNames[kind]} is not valid for project ${facts.project_id}.`,
  );
const formatTime = (millis: number) => new Date(millis).toISOString();
const messageOf = (facts: Facts) => String(facts.message);
const teamPermissionDetails = { team_id: string, user_id: string, permission_id: string };

const cursorTexts: Readonly<Record<string, string>> = {
  malformed: 'The cursor is not one of the event feed. Send a `cursor` or `next_after` unchanged.',
  other_project: 'The cursor belongs to another project.',
  other_log: 'The cursor belongs to another log, such as that of another installation or before a restore.',
  ahead_of_log:
    'The log no longer reaches the cursor, because it was restored from an older backup. Compare your data, then go on with `head`.',
};

const targetTexts: Readonly<Record<string, string>> = {
  malformed: 'Webhooks need an absolute URL.',
  credentials: 'The URL must not contain a user name or a password. Use a header instead.',
  not_https: 'The URL must begin with https.',
  port: 'The URL must use port 443, port 80, or port 1024 or higher.',
  private_network: 'The URL leads to a private network, to this machine, or to a metadata service.',
};

export const knownErrors = {
  UNSUPPORTED_ERROR: withDetails(
    500,
    { originalErrorCode: string },
    (facts) => `The error ${facts.originalErrorCode} is newer than this client: update the client library.`,
  ),
  BODY_PARSING_ERROR: withDetails(400, { message: string }, messageOf),
  SCHEMA_ERROR: withDetails(400, { message: string }, messageOf),
  ALL_OVERLOADS_FAILED: withDetails(
    400,
    { overload_errors: z.array(z.record(string, z.unknown())) },
    (facts) => `The request matches none of the forms of this endpoint: ${JSON.stringify(facts.overload_errors)}`,
  ),

  PROJECT_KEY_WITHOUT_ACCESS_TYPE: withoutDetails(
    400,
    'A project key was sent without the x-stack-access-type header, which must be client, server or admin.',
  ),
  INVALID_ACCESS_TYPE: withoutDetails(
    400,
    (facts) => `The x-stack-access-type header must be client, server or admin, not "${facts.accessType}".`,
  ),
  ACCESS_TYPE_WITHOUT_PROJECT_ID: withDetails(
    400,
    { request_type: string },
    (facts) => `A request with access type ${facts.request_type} requires the x-stack-project-id header.`,
  ),
  ACCESS_TYPE_REQUIRED: withoutDetails(
    400,
    'This request requires the x-stack-access-type and x-stack-project-id headers.',
  ),
  INSUFFICIENT_ACCESS_TYPE: withDetails(
    401,
    { actual_access_type: string, allowed_access_types: z.array(string) },
    (facts) =>
      `This request is not allowed with access type ${facts.actual_access_type}, only with ${[facts.allowed_access_types].flat().join(', ')}.`,
  ),
  INVALID_PUBLISHABLE_CLIENT_KEY: invalidKey('client'),
  INVALID_SECRET_SERVER_KEY: invalidKey('server'),
  INVALID_SUPER_SECRET_ADMIN_KEY: invalidKey('admin'),
  UNPARSABLE_ADMIN_ACCESS_TOKEN: withoutDetails(401, 'The admin access token could not be verified.'),
  ADMIN_ACCESS_TOKEN_EXPIRED: withDetails(401, { expired_at_millis: nullableNumber }, ({ expired_at_millis: at }) =>
    typeof at === 'number'
      ? `The admin access token expired at ${formatTime(at)}. Refresh it and try again.`
      : 'The admin access token has expired, or its session has ended. Refresh it, or sign in again.',
  ),
  INVALID_PROJECT_FOR_ADMIN_ACCESS_TOKEN: withoutDetails(
    401,
    'The admin access token, issued by project internal, is for a project that no longer exists.',
  ),
  ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN: withoutDetails(
    401,
    'The admin access token does not belong to an owner of the project.',
  ),
  CLIENT_AUTHENTICATION_REQUIRED: keyRequired('client'),
  SERVER_AUTHENTICATION_REQUIRED: keyRequired('server'),
  ADMIN_AUTHENTICATION_REQUIRED: keyRequired('admin'),
  CLIENT_OR_SERVER_AUTHENTICATION_REQUIRED: keyRequired('client', 'server'),
  CLIENT_OR_ADMIN_AUTHENTICATION_REQUIRED: keyRequired('client', 'admin'),
  CLIENT_OR_SERVER_OR_ADMIN_AUTHENTICATION_REQUIRED: keyRequired('client', 'server', 'admin'),
  EXPECTED_INTERNAL_PROJECT: withoutDetails(401, 'This request is only allowed for project internal.'),
  PROJECT_NOT_FOUND: withDetails(404, { project_id: string }, (facts) => `Project ${facts.project_id} does not exist.`),
  BRANCH_DOES_NOT_EXIST: withDetails(
    400,
    { branch_id: string },
    (facts) => `Branch ${facts.branch_id} does not exist.`,
  ),

  UNPARSABLE_ACCESS_TOKEN: withoutDetails(401, 'The access token could not be verified.'),
  ACCESS_TOKEN_EXPIRED: withDetails(401, { expired_at_millis: nullableNumber }, ({ expired_at_millis: at }) =>
    typeof at === 'number'
      ? `The access token expired at ${formatTime(at)}. Refresh it and try again.`
      : 'The access token is no longer valid: its session has ended, or the user has changed. Refresh it, or sign in again.',
  ),
  INVALID_PROJECT_FOR_ACCESS_TOKEN: withDetails(
    401,
    { expected_project_id: string, actual_project_id: string },
    (facts) => `The access token is for project ${facts.actual_project_id}, not for ${facts.expected_project_id}.`,
  ),
  REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED: withoutDetails(401, 'The session has ended or expired. Sign in again.'),
  CANNOT_DELETE_CURRENT_SESSION: withoutDetails(
    400,
    "The current session can't be deleted this way. Sign out instead.",
  ),
  PROVIDER_REJECTED: withoutDetails(401, 'The provider rejected the token refresh. Sign in again.'),
  USER_AUTHENTICATION_REQUIRED: withoutDetails(401, 'This request requires a signed-in user.'),
  CANNOT_GET_OWN_USER_WITHOUT_USER: withoutDetails(400, 'The user "me" was requested, but no user is signed in.'),

  USER_NOT_FOUND: withoutDetails(404, 'This user does not exist.'),
  USER_ID_DOES_NOT_EXIST: withDetails(400, { user_id: string }, (facts) => `User ${facts.user_id} does not exist.`),
  USER_EMAIL_ALREADY_EXISTS: withDetails(
    409,
    { email: string },
    (facts) => `Another user already signs in with ${facts.email}.`,
  ),
  EMAIL_NOT_VERIFIED: withoutDetails(400, 'The email address is not verified.'),
  EMAIL_ALREADY_VERIFIED: withoutDetails(409, 'The email address is already verified.'),
  EMAIL_IS_NOT_PRIMARY_EMAIL: withDetails(
    400,
    { email: string, primary_email: string.nullable() },
    (facts) => `${facts.email} is not the primary email address, which is ${facts.primary_email ?? 'not set'}.`,
  ),
  EMAIL_NOT_ASSOCIATED_WITH_USER: withoutDetails(400, 'The email address does not belong to this user.'),
  CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE: withDetails(
    409,
    { type: z.literal('email'), contact_channel_value: string.nullable() },
    (facts) =>
      `Another user already signs in with this ${facts.type}: ${facts.contact_channel_value ?? ''}`.replace(/: $/, '.'),
  ),

  RESTRICTED_USER_NOT_ALLOWED: withDetails(
    403,
    { restricted_reason: z.object({ type: string }) },
    (facts) => `An administrator restricted this account${facts.reason ? `: ${facts.reason}` : '.'}`,
  ),

  SIGN_UP_NOT_ENABLED: withoutDetails(400, 'Sign-up is off for this project. Ask the project owner to enable it.'),
  PASSWORD_AUTHENTICATION_NOT_ENABLED: withoutDetails(400, 'Sign-in with a password is off for this project.'),
  PASSKEY_AUTHENTICATION_NOT_ENABLED: withoutDetails(400, 'Sign-in with a passkey is off for this project.'),
  ANONYMOUS_ACCOUNTS_NOT_ENABLED: withoutDetails(400, 'Anonymous accounts are off for this project.'),
  EMAIL_PASSWORD_MISMATCH: withoutDetails(400, 'Wrong email or password.'),
  USER_DOES_NOT_HAVE_PASSWORD: withoutDetails(400, 'This user has no password.'),
  PASSWORD_CONFIRMATION_MISMATCH: withoutDetails(400, 'The old password is wrong.'),
  PASSWORD_TOO_SHORT: withDetails(
    400,
    { min_length: z.number() },
    (facts) => `The password is too short. It needs at least ${facts.min_length} characters.`,
  ),
  PASSWORD_TOO_LONG: withDetails(
    400,
    { maxLength: z.number() },
    (facts) => `The password is too long. It can have at most ${facts.maxLength} characters.`,
  ),
  MULTI_FACTOR_AUTHENTICATION_REQUIRED: withDetails(400, { attempt_code: string }, 'A second factor is required.'),
  INVALID_TOTP_CODE: withoutDetails(400, 'The code of the second factor is wrong.'),
  PASSKEY_REGISTRATION_FAILED: withDetails(400, { message: string }, messageOf),
  PASSKEY_AUTHENTICATION_FAILED: withDetails(400, { message: string }, messageOf),
  PASSKEY_WEBAUTHN_ERROR: withDetails(400, { message: string, code: string }, messageOf),
  REDIRECT_URL_NOT_WHITELISTED: withoutDetails(
    400,
    'The redirect URL does not belong to a trusted domain of the project.',
  ),
  INVALID_POLLING_CODE: withoutDetails(400, 'The polling code is unknown.'),
  CLI_AUTH_ERROR: withoutDetails(400, 'The CLI login failed.'),
  CLI_AUTH_EXPIRED_ERROR: withoutDetails(400, 'The CLI login has expired.'),
  CLI_AUTH_USED_ERROR: withoutDetails(400, 'The CLI login has already been used.'),

  VERIFICATION_CODE_NOT_FOUND: withoutDetails(404, 'The code is unknown in this project.'),
  VERIFICATION_CODE_EXPIRED: withoutDetails(400, 'The code has expired.'),
  VERIFICATION_CODE_ALREADY_USED: withoutDetails(409, 'The code has already been used.'),
  VERIFICATION_CODE_MAX_ATTEMPTS_REACHED: withoutDetails(400, 'Too many attempts with this code. Request a new one.'),

  TEAM_NOT_FOUND: withDetails(404, { team_id: string }, (facts) => `Team ${facts.team_id} does not exist.`),
  TEAM_ALREADY_EXISTS: withDetails(409, { team_id: string }, (facts) => `Team ${facts.team_id} already exists.`),
  TEAM_MEMBERSHIP_NOT_FOUND: withDetails(
    404,
    { team_id: string, user_id: string },
    (facts) => `User ${facts.user_id} is not a member of team ${facts.team_id}.`,
  ),
  TEAM_MEMBERSHIP_ALREADY_EXISTS: withoutDetails(409, 'The user is already a member of the team.'),
  TEAM_INVITATION_RESTRICTED_USER_NOT_ALLOWED: withDetails(
    403,
    { restricted_reason: z.object({ type: string }) },
    'Restricted and anonymous users can’t accept team invitations.',
  ),
  TEAM_PERMISSION_REQUIRED: withDetails(
    401,
    teamPermissionDetails,
    (facts) => `User ${facts.user_id} lacks the permission ${facts.permission_id} in team ${facts.team_id}.`,
  ),
  TEAM_PERMISSION_NOT_FOUND: withDetails(
    401,
    teamPermissionDetails,
    (facts) => `User ${facts.user_id} was not granted ${facts.permission_id} in team ${facts.team_id}.`,
  ),
  PROJECT_PERMISSION_REQUIRED: withDetails(
    401,
    { user_id: string, permission_id: string },
    (facts) => `User ${facts.user_id} lacks the permission ${facts.permission_id}.`,
  ),
  PERMISSION_NOT_FOUND: withDetails(
    404,
    { permission_id: string },
    (facts) => `Permission ${facts.permission_id} does not exist.`,
  ),
  WRONG_PERMISSION_SCOPE: withDetails(
    404,
    {
      permission_id: string,
      expected_scope: z.enum(['team', 'project']),
      actual_scope: z.enum(['team', 'project']).nullable(),
    },
    (facts) =>
      `Permission ${facts.permission_id} has scope ${facts.actual_scope ?? 'unknown'}, not ${facts.expected_scope}.`,
  ),
  CONTAINED_PERMISSION_NOT_FOUND: withDetails(
    400,
    { permission_id: string },
    (facts) => `The contained permission ${facts.permission_id} does not exist in this scope.`,
  ),
  PERMISSION_ID_ALREADY_EXISTS: withDetails(
    400,
    { permission_id: string },
    (facts) => `The permission ID ${facts.permission_id} is already in use.`,
  ),
  CUSTOMER_DOES_NOT_EXIST: withDetails(
    400,
    { customer_id: string },
    (facts) => `Customer ${facts.customer_id} does not exist.`,
  ),

  INVALID_OAUTH_CLIENT_ID_OR_SECRET: withDetails(
    400,
    { client_id: string.nullable() },
    (facts) => `The client ID (the project ID) or secret (a publishable client key) is wrong${formatClient(facts)}.`,
  ),
  INVALID_SCOPE: withoutDetails(400, (facts) => `The scope "${facts.scope ?? ''}" is unknown.`),
  INVALID_AUTHORIZATION_CODE: withoutDetails(
    400,
    'The authorization code is not valid. It may have expired or been used already.',
  ),
  OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED: withoutDetails(400, 'The provider is not enabled for this project.'),
  OAUTH_PROVIDER_ACCESS_DENIED: withoutDetails(400, 'The user or the provider denied access.'),
  OUTER_OAUTH_TIMEOUT: withoutDetails(408, 'The sign-in took too long. Sign in again.'),
  OAUTH_CONNECTION_NOT_CONNECTED_TO_USER: withoutDetails(400, 'The user has no connected account at this provider.'),
  OAUTH_ACCESS_TOKEN_NOT_AVAILABLE: withDetails(
    400,
    { provider: string, details: string },
    (facts) => `No access token for the account at ${facts.provider}. ${facts.details}`,
  ),
  OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN: withoutDetails(
    400,
    'This account at the provider already belongs to a user of the project.',
  ),
  OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE: withoutDetails(
    400,
    'The connected account does not have the requested scopes.',
  ),
  OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS: withoutDetails(
    400,
    'Extra scopes require your own OAuth keys for this provider.',
  ),
  OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS: withoutDetails(
    400,
    'Access tokens of this provider require your own OAuth keys.',
  ),
  OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER: withoutDetails(
    409,
    'This account is already connected to another user.',
  ),
  USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION: withoutDetails(
    409,
    'The user is already connected to another account at this provider. Did you choose the wrong account?',
  ),
  INVALID_SHARED_OAUTH_PROVIDER_ID: withDetails(
    400,
    { provider_id: string },
    (facts) => `There are no shared keys for provider ${facts.provider_id}.`,
  ),
  INVALID_STANDARD_OAUTH_PROVIDER_ID: withDetails(
    400,
    { provider_id: string },
    (facts) => `The provider ${facts.provider_id} is unknown.`,
  ),

  API_KEY_NOT_FOUND: withoutDetails(404, 'This API key does not exist.'),
  WRONG_API_KEY_TYPE: withDetails(
    400,
    { expected_type: string, actual_type: string },
    (facts) => `This is a ${facts.actual_type} API key, but a ${facts.expected_type} API key was expected.`,
  ),
  API_KEY_REVOKED: withoutDetails(401, (facts) =>
    facts.isOwnerRestricted ? 'The API key does not work while its owner is restricted.' : 'The API key was revoked.',
  ),
  API_KEY_EXPIRED: withoutDetails(401, 'The API key has expired.'),
  PUBLIC_API_KEY_CANNOT_BE_REVOKED: withoutDetails(400, "A public API key can't be revoked this way."),
  EMAIL_TEMPLATE_ALREADY_EXISTS: withoutDetails(409, 'This email template already exists.'),
  EMAIL_NOT_EDITABLE: withDetails(
    400,
    { email_id: string, status: string },
    (facts) => `The email ${facts.email_id} can't be changed, because its status is ${facts.status}.`,
  ),
  EMAIL_RENDERING_ERROR: withDetails(
    400,
    { error: string },
    (facts) => `The email could not be rendered: ${facts.error}`,
  ),
  REQUIRES_CUSTOM_EMAIL_SERVER: withoutDetails(400, 'Set up an SMTP server for the project first.'),
} satisfies Record<KnownErrorCode, KnownError>;

/** Errors of Gatebook's own endpoints and parameters, which the protocol does not know. */
export const gatebookErrors = {
  AS_OF_IN_FUTURE: withDetails(
    400,
    { now_millis: z.number() },
    (facts) => `The moment is in the future. It is now ${utcTime(facts.now_millis)}.`,
  ),
  AS_OF_BEFORE_PROJECT: withDetails(
    400,
    { created_at_millis: z.number() },
    (facts) => `The project did not exist at that moment. It was created on ${utcTime(facts.created_at_millis)}.`,
  ),
  AS_OF_DISABLED: withoutDetails(400, 'The past can’t be read, because this server does not keep it.'),
  AS_OF_NOT_READY: withoutDetails(503, 'The past is still being prepared up to that moment. Retry in a moment.'),
  AUDIT_EVENT_NOT_FOUND: withoutDetails(404, 'This event does not exist.'),
  AUDIT_LOG_NOT_READY: withoutDetails(503, 'The audit log lacks the newest events. Retry in a moment.'),
  EVENT_CURSOR_INVALID: withDetails(
    400,
    { reason: z.enum(['malformed', 'other_project', 'other_log', 'ahead_of_log']) },
    ({ reason }) => cursorTexts[String(reason)] ?? 'The cursor is not valid.',
  ),
  EVENT_NOT_FOUND: withoutDetails(404, 'No event of this project has this ID.'),
  LIVE_STREAM_LIMIT_REACHED: withoutDetails(429, 'Too many live streams are open. Close one, or retry later.'),
  CUSTOM_METRIC_LIMIT_REACHED: withDetails(
    400,
    { limit: z.number() },
    (facts) => `A project can have ${facts.limit} custom metrics. Delete one first.`,
  ),
  CUSTOM_METRIC_NOT_FOUND: withoutDetails(404, 'This custom metric does not exist.'),
  USER_BATCH_NOT_FOUND: withoutDetails(404, 'This batch of users does not exist.'),
  USER_BATCH_OUTDATED: withDetails(
    412,
    { count: z.number() },
    (facts) => `Now ${facts.count} users match. Nothing was started. Preview the batch again.`,
  ),
  USER_BATCH_RUNNING: withoutDetails(
    409,
    'A batch of this project is still running. Wait until it ends, or cancel it.',
  ),
  USER_BATCH_TOO_LARGE: withDetails(
    400,
    { limit: z.number() },
    (facts) => `More than ${facts.limit} users match. Narrow the filters.`,
  ),
  WEBHOOK_DELIVERY_NOT_FOUND: withoutDetails(404, 'This webhook delivery does not exist.'),
  WEBHOOK_REPLAY_NOT_FOUND: withoutDetails(404, 'This replay does not exist.'),
  WEBHOOK_ENDPOINT_NOT_FOUND: withoutDetails(404, 'This webhook endpoint does not exist.'),
  WEBHOOK_URL_NOT_ALLOWED: withDetails(
    400,
    { reason: z.enum(['malformed', 'credentials', 'not_https', 'port', 'private_network']) },
    ({ reason }) => targetTexts[String(reason)] ?? 'Webhooks can’t be sent to this URL.',
  ),
  LAST_PROJECT_OWNER: withoutDetails(400, 'A project needs an owner. Make somebody else an owner first.'),
  PROJECT_TRANSFER_TO_SENDER: withoutDetails(
    400,
    'You sent this transfer. The new owner must accept it with their own account.',
  ),
  PROJECT_MEMBER_NOT_FOUND: withoutDetails(404, 'The project has no such member.'),
  PROJECT_ROLE_REQUIRED: withDetails(
    403,
    { role: ProjectRole, required_role: ProjectRole },
    ({ role, required_role }) =>
      `Your role in this project is ${roleName(String(role) as Role)}. This requires the role ${roleName(String(required_role) as Role)}.`,
  ),
  REJECTION_NOT_FOUND: withoutDetails(404, 'No failed request of this project with this ID is known.'),
  PREVIEW_NOT_SUPPORTED: withoutDetails(400, 'This request has no preview. Send it without If-Match.'),
  PREVIEW_OUTDATED: withDetails(
    412,
    { changed: z.array(ChangeTarget) },
    'Something that the preview stands on has changed. Nothing was written. Preview the request again.',
  ),
  ACTION_NOT_FOUND: withoutDetails(404, 'This action does not exist, or it changed nothing.'),
  ACTION_NOT_REVERSIBLE: withDetails(409, { reasons: z.array(string) }, ({ reasons }) =>
    ['This action can’t be undone.', ...[reasons].flat()].join(' '),
  ),
  ACTION_ALREADY_UNDONE: withDetails(
    409,
    { by_action_id: string },
    (facts) => `This action was already undone by the action ${facts.by_action_id}.`,
  ),
  UNDO_CONFLICT: withDetails(
    409,
    { conflicts: z.array(UndoConflict) },
    'The action can’t be undone, because some of its fields have changed since. Nothing was written.',
  ),
} satisfies Record<GatebookErrorCode, KnownError>;

/** ISO 8601, to the second. The reference of errors has names instead of times. */
const utcTime = (millis: unknown): string =>
  typeof millis === 'number' ? `${new Date(millis).toISOString().slice(0, 19)}Z` : String(millis);

function formatClient({ client_id }: Facts): string {
  return typeof client_id === 'string' ? ` for ${client_id}` : '';
}
