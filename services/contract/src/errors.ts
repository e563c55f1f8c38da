import type { KnownErrorCode } from '@gatebook/domain/errors';
import { z } from 'zod';

type Facts = Readonly<Record<string, unknown>>;

/** Status, details and text of a code. Status and details are the contract; texts are ours (errors.md). */
export type KnownError = { status: number; details: z.ZodObject | null; text: (facts: Facts) => string };

const s = z.string();
const nullableNumber = z.number().nullable();
const plainText = (text: string | ((facts: Facts) => string)) => (typeof text === 'string' ? () => text : text);

/** Without details. The text may still use facts that came with the rejection. */
const bare = (status: number, text: string | ((facts: Facts) => string)): KnownError => ({
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
const keyNeeded = (...kinds: (keyof typeof keyNames)[]) =>
  bare(401, `This call needs a ${kinds.map((kind) => keyNames[kind]).join(' or a ')} of the project.`);
const wrongKey = (kind: keyof typeof keyNames) =>
  withDetails(401, { project_id: s }, (facts) => `The ${keyNames[kind]} is not valid for project ${facts.project_id}.`);
const time = (millis: unknown) => (typeof millis === 'number' ? ` at ${new Date(millis).toISOString()}` : '');
const theMessage = (facts: Facts) => String(facts.message);
const onTeam = { team_id: s, user_id: s, permission_id: s };

export const knownErrors = {
  UNSUPPORTED_ERROR: withDetails(
    500,
    { originalErrorCode: s },
    (facts) => `The error ${facts.originalErrorCode} is newer than this client: update the client library.`,
  ),
  BODY_PARSING_ERROR: withDetails(400, { message: s }, theMessage),
  SCHEMA_ERROR: withDetails(400, { message: s }, theMessage),
  ALL_OVERLOADS_FAILED: withDetails(
    400,
    { overload_errors: z.array(z.record(s, z.unknown())) },
    (facts) => `The request fits none of the endpoint's forms: ${JSON.stringify(facts.overload_errors)}`,
  ),

  PROJECT_KEY_WITHOUT_ACCESS_TYPE: bare(
    400,
    'A project key was sent without the header x-stack-access-type, which says client, server or admin.',
  ),
  INVALID_ACCESS_TYPE: bare(
    400,
    (facts) => `The header x-stack-access-type must be client, server or admin, not "${facts.accessType}".`,
  ),
  ACCESS_TYPE_WITHOUT_PROJECT_ID: withDetails(
    400,
    { request_type: s },
    (facts) => `A call with access type ${facts.request_type} needs the header x-stack-project-id.`,
  ),
  ACCESS_TYPE_REQUIRED: bare(400, 'This call needs the headers x-stack-access-type and x-stack-project-id.'),
  INSUFFICIENT_ACCESS_TYPE: withDetails(
    401,
    { actual_access_type: s, allowed_access_types: z.array(s) },
    (facts) =>
      `This call is not open to access type ${facts.actual_access_type}, only to ${[facts.allowed_access_types].flat().join(', ')}.`,
  ),
  INVALID_PUBLISHABLE_CLIENT_KEY: wrongKey('client'),
  INVALID_SECRET_SERVER_KEY: wrongKey('server'),
  INVALID_SUPER_SECRET_ADMIN_KEY: wrongKey('admin'),
  UNPARSABLE_ADMIN_ACCESS_TOKEN: bare(401, 'The admin access token could not be verified.'),
  ADMIN_ACCESS_TOKEN_EXPIRED: withDetails(
    401,
    { expired_at_millis: nullableNumber },
    (facts) => `The admin access token has expired${time(facts.expired_at_millis)}. Refresh it and try again.`,
  ),
  INVALID_PROJECT_FOR_ADMIN_ACCESS_TOKEN: bare(
    401,
    'The admin access token, issued by project internal, is for a project that no longer exists.',
  ),
  ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN: bare(401, 'The admin access token does not belong to an owner of the project.'),
  CLIENT_AUTHENTICATION_REQUIRED: keyNeeded('client'),
  SERVER_AUTHENTICATION_REQUIRED: keyNeeded('server'),
  ADMIN_AUTHENTICATION_REQUIRED: keyNeeded('admin'),
  CLIENT_OR_SERVER_AUTHENTICATION_REQUIRED: keyNeeded('client', 'server'),
  CLIENT_OR_ADMIN_AUTHENTICATION_REQUIRED: keyNeeded('client', 'admin'),
  CLIENT_OR_SERVER_OR_ADMIN_AUTHENTICATION_REQUIRED: keyNeeded('client', 'server', 'admin'),
  EXPECTED_INTERNAL_PROJECT: bare(401, 'This call is only open to project internal.'),
  PROJECT_NOT_FOUND: withDetails(404, { project_id: s }, (facts) => `There is no project ${facts.project_id}.`),
  BRANCH_DOES_NOT_EXIST: withDetails(400, { branch_id: s }, (facts) => `There is no branch ${facts.branch_id}.`),

  UNPARSABLE_ACCESS_TOKEN: bare(401, 'The access token could not be verified.'),
  ACCESS_TOKEN_EXPIRED: withDetails(
    401,
    { expired_at_millis: nullableNumber },
    (facts) => `The access token has expired${time(facts.expired_at_millis)}. Refresh it and try again.`,
  ),
  INVALID_PROJECT_FOR_ACCESS_TOKEN: withDetails(
    401,
    { expected_project_id: s, actual_project_id: s },
    (facts) => `The access token is for project ${facts.actual_project_id}, not for ${facts.expected_project_id}.`,
  ),
  REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED: bare(401, 'The session has ended or expired. Sign in again.'),
  CANNOT_DELETE_CURRENT_SESSION: bare(400, 'The current session can not be deleted this way. Sign out instead.'),
  PROVIDER_REJECTED: bare(401, 'The provider rejected to renew the connection. Sign in again.'),
  USER_AUTHENTICATION_REQUIRED: bare(401, 'This call needs a signed-in user.'),
  CANNOT_GET_OWN_USER_WITHOUT_USER: bare(400, 'The user "me" was asked for, but nobody is signed in.'),

  USER_NOT_FOUND: bare(404, 'There is no such user.'),
  USER_ID_DOES_NOT_EXIST: withDetails(400, { user_id: s }, (facts) => `There is no user ${facts.user_id}.`),
  USER_EMAIL_ALREADY_EXISTS: withDetails(
    409,
    { email: s },
    (facts) => `Another user already signs in with ${facts.email}.`,
  ),
  EMAIL_NOT_VERIFIED: bare(400, 'The e-mail address has not been verified.'),
  EMAIL_ALREADY_VERIFIED: bare(409, 'The e-mail address is verified already.'),
  EMAIL_IS_NOT_PRIMARY_EMAIL: withDetails(
    400,
    { email: s, primary_email: s.nullable() },
    (facts) => `${facts.email} is not the primary e-mail address, which is ${facts.primary_email ?? 'not set'}.`,
  ),
  EMAIL_NOT_ASSOCIATED_WITH_USER: bare(400, 'The e-mail address does not belong to this user.'),
  CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE: withDetails(
    409,
    { type: z.literal('email'), contact_channel_value: s.nullable() },
    (facts) => `Somebody else signs in with this ${facts.type} already: ${facts.contact_channel_value ?? ''}`.trimEnd(),
  ),

  SIGN_UP_NOT_ENABLED: bare(400, 'Sign-up is off for this project. Ask the project owner to enable it.'),
  PASSWORD_AUTHENTICATION_NOT_ENABLED: bare(400, 'Sign-in by password is off for this project.'),
  PASSKEY_AUTHENTICATION_NOT_ENABLED: bare(400, 'Sign-in by passkey is off for this project.'),
  ANONYMOUS_ACCOUNTS_NOT_ENABLED: bare(400, 'Anonymous accounts are off for this project.'),
  EMAIL_PASSWORD_MISMATCH: bare(400, 'Wrong e-mail or password.'),
  USER_DOES_NOT_HAVE_PASSWORD: bare(400, 'This user has no password.'),
  PASSWORD_CONFIRMATION_MISMATCH: bare(400, 'The old password is wrong.'),
  PASSWORD_TOO_SHORT: withDetails(
    400,
    { min_length: z.number() },
    (facts) => `The password is too short. It needs at least ${facts.min_length} characters.`,
  ),
  PASSWORD_TOO_LONG: withDetails(
    400,
    { maxLength: z.number() },
    (facts) => `The password is too long. It may have at most ${facts.maxLength} characters.`,
  ),
  MULTI_FACTOR_AUTHENTICATION_REQUIRED: withDetails(400, { attempt_code: s }, 'A second factor is needed.'),
  INVALID_TOTP_CODE: bare(400, 'The code of the second factor is wrong.'),
  PASSKEY_REGISTRATION_FAILED: withDetails(400, { message: s }, theMessage),
  PASSKEY_AUTHENTICATION_FAILED: withDetails(400, { message: s }, theMessage),
  PASSKEY_WEBAUTHN_ERROR: withDetails(400, { message: s, code: s }, theMessage),
  REDIRECT_URL_NOT_WHITELISTED: bare(400, 'The redirect URL does not belong to a trusted domain of the project.'),
  INVALID_POLLING_CODE: bare(400, 'The polling code is not known.'),
  CLI_AUTH_ERROR: bare(400, 'The command-line login failed.'),
  CLI_AUTH_EXPIRED_ERROR: bare(400, 'The command-line login has expired.'),
  CLI_AUTH_USED_ERROR: bare(400, 'The command-line login was used already.'),

  VERIFICATION_CODE_NOT_FOUND: bare(404, 'The code is not known in this project.'),
  VERIFICATION_CODE_EXPIRED: bare(400, 'The code has expired.'),
  VERIFICATION_CODE_ALREADY_USED: bare(409, 'The code was used already.'),
  VERIFICATION_CODE_MAX_ATTEMPTS_REACHED: bare(400, 'The code was tried too often. Ask for a new one.'),

  TEAM_NOT_FOUND: withDetails(404, { team_id: s }, (facts) => `There is no team ${facts.team_id}.`),
  TEAM_ALREADY_EXISTS: withDetails(409, { team_id: s }, (facts) => `There is a team ${facts.team_id} already.`),
  TEAM_MEMBERSHIP_NOT_FOUND: withDetails(
    404,
    { team_id: s, user_id: s },
    (facts) => `User ${facts.user_id} is not a member of team ${facts.team_id}.`,
  ),
  TEAM_MEMBERSHIP_ALREADY_EXISTS: bare(409, 'The user is a member of the team already.'),
  TEAM_PERMISSION_REQUIRED: withDetails(
    401,
    onTeam,
    (facts) => `User ${facts.user_id} lacks the permission ${facts.permission_id} in team ${facts.team_id}.`,
  ),
  TEAM_PERMISSION_NOT_FOUND: withDetails(
    401,
    onTeam,
    (facts) => `User ${facts.user_id} was not granted ${facts.permission_id} in team ${facts.team_id}.`,
  ),
  PROJECT_PERMISSION_REQUIRED: withDetails(
    401,
    { user_id: s, permission_id: s },
    (facts) => `User ${facts.user_id} lacks the permission ${facts.permission_id}.`,
  ),
  PERMISSION_NOT_FOUND: withDetails(
    404,
    { permission_id: s },
    (facts) => `There is no permission ${facts.permission_id}.`,
  ),
  WRONG_PERMISSION_SCOPE: withDetails(
    404,
    {
      permission_id: s,
      expected_scope: z.enum(['team', 'project']),
      actual_scope: z.enum(['team', 'project']).nullable(),
    },
    (facts) =>
      `Permission ${facts.permission_id} is of scope ${facts.actual_scope ?? 'unknown'}, not ${facts.expected_scope}.`,
  ),
  CONTAINED_PERMISSION_NOT_FOUND: withDetails(
    400,
    { permission_id: s },
    (facts) => `The contained permission ${facts.permission_id} does not exist in this scope.`,
  ),
  PERMISSION_ID_ALREADY_EXISTS: withDetails(
    400,
    { permission_id: s },
    (facts) => `The permission id ${facts.permission_id} is taken.`,
  ),

  INVALID_OAUTH_CLIENT_ID_OR_SECRET: withDetails(
    400,
    { client_id: s.nullable() },
    (facts) => `The client id (the project's id) or secret (a publishable client key) is wrong${ofClient(facts)}.`,
  ),
  INVALID_SCOPE: bare(400, (facts) => `The scope "${facts.scope ?? ''}" is not known.`),
  INVALID_AUTHORIZATION_CODE: bare(400, 'The authorization code is not valid. It may have been used or have expired.'),
  OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED: bare(400, 'The provider is not enabled for this project.'),
  OAUTH_PROVIDER_ACCESS_DENIED: bare(400, 'The provider or the person denied access.'),
  OUTER_OAUTH_TIMEOUT: bare(408, 'Signing in took too long. Please sign in again.'),
  OAUTH_CONNECTION_NOT_CONNECTED_TO_USER: bare(400, 'The user has no account of this provider connected.'),
  OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE: bare(400, 'The connected account lacks the scopes asked for.'),
  OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS: bare(
    400,
    'Extra scopes need OAuth keys of your own for this provider.',
  ),
  OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS: bare(
    400,
    'Access tokens of the provider need OAuth keys of your own.',
  ),
  OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER: bare(409, 'This account is connected to another user already.'),
  USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION: bare(
    409,
    'The user is connected to another account of this provider. Did you pick the wrong account?',
  ),
  INVALID_SHARED_OAUTH_PROVIDER_ID: withDetails(
    400,
    { provider_id: s },
    (facts) => `There are no shared keys for the provider ${facts.provider_id}.`,
  ),
  INVALID_STANDARD_OAUTH_PROVIDER_ID: withDetails(
    400,
    { provider_id: s },
    (facts) => `The provider ${facts.provider_id} is not known.`,
  ),

  API_KEY_NOT_FOUND: bare(404, 'There is no such API key.'),
  WRONG_API_KEY_TYPE: withDetails(
    400,
    { expected_type: s, actual_type: s },
    (facts) => `This is a ${facts.actual_type} API key, but a ${facts.expected_type} API key was expected.`,
  ),
  API_KEY_REVOKED: bare(401, 'The API key was revoked.'),
  API_KEY_EXPIRED: bare(401, 'The API key has expired.'),
  PUBLIC_API_KEY_CANNOT_BE_REVOKED: bare(400, 'A public API key can not be revoked this way.'),
  EMAIL_TEMPLATE_ALREADY_EXISTS: bare(409, 'There is such an e-mail template already.'),
} satisfies Record<KnownErrorCode, KnownError>;

function ofClient({ client_id }: Facts): string {
  return typeof client_id === 'string' ? ` for ${client_id}` : '';
}
