import { plainErrors, plainText, rejections } from '@gatebook/contract/plain-errors';
import type { DomainErrorCode, PlainErrorCode } from '@gatebook/domain/errors';
import { sessionRules } from './table.ts';

/** Of any call that is not open to anyone, before it comes to its own: conventions §3.2, and Idempotency-Key. */
export const commonErrors: readonly DomainErrorCode[] = [
  'SCHEMA_ERROR',
  'BODY_PARSING_ERROR',
  'CROSS_SITE_REQUEST_NOT_ALLOWED',
  'PROJECT_KEY_WITHOUT_ACCESS_TYPE',
  'INVALID_ACCESS_TYPE',
  'ACCESS_TYPE_WITHOUT_PROJECT_ID',
  'ACCESS_TYPE_REQUIRED',
  'INSUFFICIENT_ACCESS_TYPE',
  'PROJECT_NOT_FOUND',
  'BRANCH_DOES_NOT_EXIST',
  'INVALID_PUBLISHABLE_CLIENT_KEY',
  'INVALID_SECRET_SERVER_KEY',
  'INVALID_SUPER_SECRET_ADMIN_KEY',
  'CLIENT_AUTHENTICATION_REQUIRED',
  'SERVER_AUTHENTICATION_REQUIRED',
  'ADMIN_AUTHENTICATION_REQUIRED',
  'UNPARSABLE_ACCESS_TOKEN',
  'ACCESS_TOKEN_EXPIRED',
  'INVALID_PROJECT_FOR_ACCESS_TOKEN',
  'UNPARSABLE_ADMIN_ACCESS_TOKEN',
  'ADMIN_ACCESS_TOKEN_EXPIRED',
  'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN',
  'OWNER_OF_TOKEN_GONE',
  'IMPERSONATION_NOT_ALLOWED',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_KEY_REUSED',
  'REQUEST_STILL_RUNNING',
  'REQUEST_ANSWER_LOST',
];

const code: readonly DomainErrorCode[] = [
  'VERIFICATION_CODE_NOT_FOUND',
  'VERIFICATION_CODE_EXPIRED',
  'VERIFICATION_CODE_ALREADY_USED',
  'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED',
];
const newPassword: readonly DomainErrorCode[] = ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG'];
/** Client access names somebody other than the signed-in user. */
const self: readonly DomainErrorCode[] = ['CANNOT_GET_OWN_USER_WITHOUT_USER', 'ACTS_ON_ANOTHER_USER'];
/** `me`, and nobody is signed in. */
const me: readonly DomainErrorCode[] = ['CANNOT_GET_OWN_USER_WITHOUT_USER'];
const right: readonly DomainErrorCode[] = ['TEAM_MEMBERSHIP_NOT_FOUND', 'TEAM_PERMISSION_REQUIRED', 'TEAM_NOT_FOUND'];
const takenAddress: readonly DomainErrorCode[] = [
  'CONTACT_CHANNEL_EXISTS',
  'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
];
const projectionVersion: readonly DomainErrorCode[] = [
  'EXPECTED_INTERNAL_PROJECT',
  'PROJECTION_VERSION_NOT_FOUND',
  'PROJECTION_VERSION_NOT_READY',
  'PROJECTION_VERSION_STOPPED',
  'PROJECTION_VERSION_BEHIND',
];
const userFields: readonly DomainErrorCode[] = [
  'CLIENT_IMAGE_INVALID',
  'EMAIL_FLAG_WITHOUT_EMAIL',
  'USER_EMAIL_ALREADY_EXISTS',
  'PASSWORD_AND_HASH',
  'PASSWORD_HASH_INVALID',
  'PASSWORD_TOO_LONG',
  'PASSWORD_METHOD_IS_OFF',
  'OTP_METHOD_IS_OFF',
];
const userPatch: readonly DomainErrorCode[] = [
  ...userFields,
  'PASSWORD_NEEDS_PRIMARY_EMAIL',
  'PASSKEY_SET_BY_HAND',
  'TEAM_MEMBERSHIP_NOT_FOUND',
];
/** Signing up, signing in and linking at a provider. */
const oauthAccount: readonly DomainErrorCode[] = [
  'USER_NOT_FOUND',
  'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED',
  'USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION',
  'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER',
  'SIGN_UP_NOT_ENABLED',
  'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
];
const comingBack: readonly DomainErrorCode[] = [
  'QUOTA_EXCEEDED',
  'OAUTH_COOKIE_MISSING',
  'OAUTH_AUTHORIZATION_REQUEST_UNKNOWN',
  'OUTER_OAUTH_TIMEOUT',
  'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
  'OAUTH_PROVIDER_ACCESS_DENIED',
  'OAUTH_PROVIDER_CODE_REJECTED',
  'OAUTH_PROVIDER_KEYS_REJECTED',
  'OAUTH_PROVIDER_SCOPE_REJECTED',
  'OAUTH_PROVIDER_ANSWER_INVALID',
  'OAUTH_PROVIDER_UNREACHABLE',
  'OAUTH_PROVIDER_GAVE_NO_EMAIL',
  'REDIRECT_URL_NOT_WHITELISTED',
  ...oauthAccount,
];
const connectedToken: readonly DomainErrorCode[] = [
  'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
  'OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
  'USER_NOT_FOUND',
  'OAUTH_CONNECTION_NOT_CONNECTED_TO_USER',
  'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE',
  'PROVIDER_REJECTED',
  'OAUTH_PROVIDER_UNREACHABLE',
];
const signedIn: readonly DomainErrorCode[] = ['USER_AUTHENTICATION_REQUIRED'];
const ofOwners: readonly DomainErrorCode[] = ['USER_AUTHENTICATION_REQUIRED', 'EXPECTED_INTERNAL_PROJECT'];
const projectFields: readonly DomainErrorCode[] = [
  'INVALID_SHARED_OAUTH_PROVIDER_ID',
  'DEFAULT_PERMISSION_UNKNOWN',
  'QUOTA_EXCEEDED',
];
const contained: readonly DomainErrorCode[] = ['CONTAINED_PERMISSION_NOT_FOUND', 'PERMISSION_ID_ALREADY_EXISTS'];
const definition: readonly DomainErrorCode[] = ['PERMISSION_NOT_FOUND', ...contained, 'PERMISSION_CYCLE'];

/** What calls reject beside that, for the API's description. The tests of the API fail on what is missing here. */
export const routeErrors: Readonly<Record<string, readonly DomainErrorCode[]>> = {
  'GET /api/v1/projects/:project_id/.well-known/jwks.json': ['PROJECT_WITHOUT_KEYS'],

  'POST /api/v1/auth/password/sign-up': [
    'PASSWORD_AUTHENTICATION_NOT_ENABLED',
    'SIGN_UP_NOT_ENABLED',
    'REDIRECT_URL_NOT_WHITELISTED',
    ...newPassword,
    'USER_EMAIL_ALREADY_EXISTS',
  ],
  'POST /api/v1/auth/password/sign-in': [
    'PASSWORD_AUTHENTICATION_NOT_ENABLED',
    'EMAIL_PASSWORD_MISMATCH',
    'MULTI_FACTOR_AUTHENTICATION_REQUIRED',
  ],
  'POST /api/v1/auth/password/set': [
    'PASSWORD_AUTHENTICATION_NOT_ENABLED',
    'USER_HAS_PASSWORD_ALREADY',
    'PASSWORD_NEEDS_PRIMARY_EMAIL',
    ...newPassword,
  ],
  'POST /api/v1/auth/password/update': [
    'PASSWORD_AUTHENTICATION_NOT_ENABLED',
    'USER_DOES_NOT_HAVE_PASSWORD',
    'PASSWORD_CONFIRMATION_MISMATCH',
    ...newPassword,
  ],
  'POST /api/v1/auth/password/send-reset-code': ['PASSWORD_AUTHENTICATION_NOT_ENABLED', 'REDIRECT_URL_NOT_WHITELISTED'],
  'POST /api/v1/auth/activity-reports': code,
  'POST /api/v1/auth/password/reset': ['PASSWORD_AUTHENTICATION_NOT_ENABLED', ...newPassword, ...code],
  'POST /api/v1/auth/password/reset/check-code': code,
  'POST /api/v1/auth/otp/send-sign-in-code': [
    'OTP_SIGN_IN_IS_OFF',
    'REDIRECT_URL_NOT_WHITELISTED',
    'SIGN_UP_NOT_ENABLED',
    'USER_EMAIL_ALREADY_EXISTS',
  ],
  'POST /api/v1/auth/otp/sign-in': [
    ...code,
    'OTP_SIGN_IN_IS_OFF',
    'SIGN_UP_NOT_ENABLED',
    'USER_EMAIL_ALREADY_EXISTS',
    'MULTI_FACTOR_AUTHENTICATION_REQUIRED',
  ],
  'POST /api/v1/auth/otp/sign-in/check-code': code,
  'POST /api/v1/auth/mfa/sign-in': [...code, 'INVALID_TOTP_CODE'],
  'POST /api/v1/auth/passkey/initiate-passkey-registration': ['PASSKEY_AUTHENTICATION_NOT_ENABLED'],
  'POST /api/v1/auth/passkey/register': [
    'USER_AUTHENTICATION_REQUIRED',
    'PASSKEY_AUTHENTICATION_NOT_ENABLED',
    ...code,
    'PASSKEY_REGISTRATION_FAILED',
    'PASSKEY_AUTHENTICATION_FAILED',
  ],
  'POST /api/v1/auth/passkey/initiate-passkey-authentication': ['PASSKEY_AUTHENTICATION_NOT_ENABLED'],
  'POST /api/v1/auth/passkey/sign-in': [
    'PASSKEY_AUTHENTICATION_NOT_ENABLED',
    ...code,
    'PASSKEY_AUTHENTICATION_FAILED',
    'MULTI_FACTOR_AUTHENTICATION_REQUIRED',
  ],
  'POST /api/v1/auth/anonymous/sign-up': ['ANONYMOUS_ACCOUNTS_NOT_ENABLED'],
  'POST /api/v1/auth/cli/complete': [
    'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED',
    'CLI_LOGIN_CODE_INVALID',
    'CLI_LOGIN_OF_ANOTHER_PROJECT',
  ],
  'POST /api/v1/auth/cli/poll': ['INVALID_POLLING_CODE'],
  'POST /api/v1/auth/oauth/token': [
    'INVALID_OAUTH_CLIENT_ID_OR_SECRET',
    'INVALID_SCOPE',
    'INVALID_AUTHORIZATION_CODE',
    'REDIRECT_URL_NOT_WHITELISTED',
    'QUOTA_EXCEEDED',
    'MULTI_FACTOR_AUTHENTICATION_REQUIRED',
    ...oauthAccount,
  ],
  'GET /api/v1/auth/oauth/authorize/:provider': [
    'IMPERSONATION_NOT_ALLOWED',
    'REAUTHENTICATION_REQUIRED',
    'INVALID_OAUTH_CLIENT_ID_OR_SECRET',
    'INVALID_PUBLISHABLE_CLIENT_KEY',
    'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    'INVALID_SCOPE',
    'UNPARSABLE_ACCESS_TOKEN',
    'ACCESS_TOKEN_EXPIRED',
    'OAUTH_LINK_OF_ANOTHER_PROJECT',
    'OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
    'OAUTH_PROVIDER_KEYS_REJECTED',
    'OAUTH_PROVIDER_UNREACHABLE',
  ],
  'POST /api/v1/auth/oauth/authorize/:provider': [
    'IMPERSONATION_NOT_ALLOWED',
    'REAUTHENTICATION_REQUIRED',
    'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    'USER_AUTHENTICATION_REQUIRED',
    'OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
  ],
  'GET /api/v1/auth/oauth/requests/:request': [
    'OAUTH_AUTHORIZATION_REQUEST_UNKNOWN',
    'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    'OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS',
    'OAUTH_PROVIDER_KEYS_REJECTED',
    'OAUTH_PROVIDER_UNREACHABLE',
  ],
  'GET /api/v1/auth/oauth/callback/:provider': comingBack,
  'POST /api/v1/auth/oauth/callback/:provider': comingBack,
  'POST /api/v1/connected-accounts/:user_id/:provider/access-token': [...self, ...connectedToken],
  'POST /api/v1/auth/oauth/connected-accounts/:provider/access-token': [...self, ...connectedToken],

  'GET /api/v1/contact-channels': self,
  'POST /api/v1/contact-channels': [
    ...self,
    'USER_NOT_FOUND',
    'UNVERIFIED_EMAIL_LIMIT_REACHED',
    ...takenAddress,
    'QUOTA_EXCEEDED',
  ],
  'GET /api/v1/contact-channels/:user_id/:channel_id': [...self, 'EMAIL_CHANNEL_NOT_FOUND'],
  'PATCH /api/v1/contact-channels/:user_id/:channel_id': [
    ...self,
    'CONTACT_CHANNEL_UNKNOWN',
    'UNVERIFIED_EMAIL_LIMIT_REACHED',
    ...takenAddress,
  ],
  'DELETE /api/v1/contact-channels/:user_id/:channel_id': [...self, 'CONTACT_CHANNEL_UNKNOWN'],
  'POST /api/v1/contact-channels/:user_id/:channel_id/send-verification-code': [
    'CANNOT_GET_OWN_USER_WITHOUT_USER',
    'CHANNEL_OF_ANOTHER_USER',
    'USER_ID_DOES_NOT_EXIST',
    'EMAIL_CHANNEL_NOT_FOUND',
    'EMAIL_ALREADY_VERIFIED',
    'REDIRECT_URL_NOT_WHITELISTED',
  ],
  'POST /api/v1/contact-channels/send-verification-code': [
    'EMAIL_IS_NOT_PRIMARY_EMAIL',
    'EMAIL_ALREADY_VERIFIED',
    'REDIRECT_URL_NOT_WHITELISTED',
  ],
  'POST /api/v1/contact-channels/verify': code,
  'POST /api/v1/contact-channels/verify/check-code': code,

  'GET /api/v1/auth/sessions': self,
  'POST /api/v1/auth/sessions': ['CANNOT_GET_OWN_USER_WITHOUT_USER', 'USER_ID_DOES_NOT_EXIST'],
  'DELETE /api/v1/auth/sessions/:session_id': [...me, 'CANNOT_DELETE_CURRENT_SESSION', 'SESSION_NOT_FOUND'],
  'DELETE /api/v1/auth/sessions/current': ['REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED'],
  'POST /api/v1/auth/sessions/current/refresh': ['REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED'],

  'GET /api/v1/users/me': me,
  'PATCH /api/v1/users/me': [...me, ...userPatch],
  'DELETE /api/v1/users/me': [...me, 'CLIENT_USER_DELETION_IS_OFF'],
  'GET /api/v1/users/:user_id/export': [...self, 'USER_NOT_FOUND'],
  'POST /api/v1/users': [
    ...userFields,
    'OAUTH_PROVIDER_OF_USER_UNKNOWN',
    'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER',
  ],
  'GET /api/v1/users/:user_id': ['USER_NOT_FOUND'],
  'PATCH /api/v1/users/:user_id': ['USER_NOT_FOUND', ...userPatch],
  'DELETE /api/v1/users/:user_id': ['USER_NOT_FOUND'],

  'GET /api/v1/teams': self,
  'POST /api/v1/teams': [
    'TEAM_CREATOR_TWICE',
    'USER_AUTHENTICATION_REQUIRED',
    'CLIENT_TEAM_CREATION_IS_OFF',
    'CLIENT_IMAGE_INVALID',
    'CANNOT_GET_OWN_USER_WITHOUT_USER',
    'ACTS_ON_ANOTHER_USER',
    'TEAM_CREATOR_NOT_SIGNED_IN',
    'USER_NOT_FOUND',
    'QUOTA_EXCEEDED',
  ],
  'GET /api/v1/teams/:team_id': ['USER_AUTHENTICATION_REQUIRED', 'TEAM_MEMBERSHIP_NOT_FOUND', 'TEAM_NOT_FOUND'],
  'PATCH /api/v1/teams/:team_id': ['CLIENT_IMAGE_INVALID', ...signedIn, ...right],
  'DELETE /api/v1/teams/:team_id': [...signedIn, ...right],
  'POST /api/v1/team-memberships/:team_id/:user_id': [
    ...me,
    'USER_NOT_FOUND',
    'TEAM_NOT_FOUND',
    'TEAM_MEMBERSHIP_ALREADY_EXISTS',
  ],
  'DELETE /api/v1/team-memberships/:team_id/:user_id': [...me, ...right, 'USER_NOT_FOUND'],
  'GET /api/v1/team-member-profiles': [...me, 'TEAM_ID_MISSING', ...right, 'USER_NOT_FOUND'],
  'GET /api/v1/team-member-profiles/:team_id/:user_id': [...me, ...right, 'USER_NOT_FOUND'],
  'PATCH /api/v1/team-member-profiles/:team_id/:user_id': [
    ...self,
    'CLIENT_IMAGE_INVALID',
    'USER_NOT_FOUND',
    'TEAM_MEMBERSHIP_NOT_FOUND',
  ],
  'POST /api/v1/team-invitations/send-code': [...signedIn, ...right, 'REDIRECT_URL_NOT_WHITELISTED'],
  'GET /api/v1/team-invitations': [...me, ...right],
  'DELETE /api/v1/team-invitations/:invitation_id': [...me, ...right, 'INVITATION_NOT_FOUND'],
  'POST /api/v1/team-invitations/accept': [...signedIn, ...code, 'QUOTA_EXCEEDED'],
  'POST /api/v1/team-invitations/accept/check-code': code,
  'POST /api/v1/team-invitations/accept/details': [...signedIn, ...code],

  'POST /api/v1/team-permission-definitions': [...contained, 'PERMISSION_CYCLE', 'QUOTA_EXCEEDED'],
  'PATCH /api/v1/team-permission-definitions/:permission_id': definition,
  'DELETE /api/v1/team-permission-definitions/:permission_id': ['PERMISSION_NOT_FOUND'],
  'POST /api/v1/project-permission-definitions': [...contained, 'PERMISSION_CYCLE', 'QUOTA_EXCEEDED'],
  'PATCH /api/v1/project-permission-definitions/:permission_id': definition,
  'DELETE /api/v1/project-permission-definitions/:permission_id': ['PERMISSION_NOT_FOUND'],
  'GET /api/v1/team-permissions': self,
  'POST /api/v1/team-permissions/:team_id/:user_id/:permission_id': [
    ...me,
    'USER_NOT_FOUND',
    'TEAM_MEMBERSHIP_NOT_FOUND',
    'PERMISSION_NOT_FOUND',
    'WRONG_PERMISSION_SCOPE',
  ],
  'DELETE /api/v1/team-permissions/:team_id/:user_id/:permission_id': [
    ...me,
    'USER_NOT_FOUND',
    'TEAM_MEMBERSHIP_NOT_FOUND',
    'TEAM_PERMISSION_NOT_FOUND',
  ],
  'GET /api/v1/project-permissions': self,
  'POST /api/v1/project-permissions/:user_id/:permission_id': [
    ...me,
    'USER_NOT_FOUND',
    'PERMISSION_NOT_FOUND',
    'WRONG_PERMISSION_SCOPE',
  ],
  'DELETE /api/v1/project-permissions/:user_id/:permission_id': [...me, 'USER_NOT_FOUND', 'PERMISSION_NOT_FOUND'],

  ...ofApiKeys('user', [...signedIn, ...self], ['USER_NOT_FOUND']),
  ...ofApiKeys('team', signedIn, ['TEAM_NOT_FOUND']),
  'POST /api/v1/integrations/credential-scanning/revoke': [
    'API_KEY_NOT_FOUND',
    'PUBLIC_API_KEY_CANNOT_BE_REVOKED',
    'API_KEY_EXPIRED',
  ],

  'GET /api/v1/internal/projects': ofOwners,
  'POST /api/v1/internal/projects': [...ofOwners, ...projectFields],
  'PATCH /api/v1/internal/projects/current': projectFields,
  'DELETE /api/v1/internal/projects/current': ['INTERNAL_PROJECT_STAYS'],
  'POST /api/v1/internal/api-keys': ['QUOTA_EXCEEDED'],
  'GET /api/v1/internal/api-keys/:key_id': ['API_KEY_NOT_FOUND'],
  'PATCH /api/v1/internal/api-keys/:key_id': ['API_KEY_NOT_FOUND'],

  'PATCH /api/v1/email-templates/:type': ['EMAIL_CONFIG_IS_SHARED', 'EMAIL_CONTENT_INVALID'],
  'DELETE /api/v1/email-templates/:type': ['EMAIL_TEMPLATE_IS_DEFAULT'],
  'POST /api/v1/internal/email-templates/:type/preview': ['EMAIL_CONTENT_INVALID'],
  'POST /api/v1/internal/emails/:email_id/retry': ['EMAIL_NOT_FOUND', 'EMAIL_NOT_RETRYABLE'],

  'GET /api/v1/internal/operations': ['EXPECTED_INTERNAL_PROJECT'],
  'POST /api/v1/internal/operations/rebuilds': [
    'EXPECTED_INTERNAL_PROJECT',
    'READ_MODELS_NOT_BUILT',
    'PROJECTION_VERSION_OF_ANOTHER_VERSION',
  ],
  'POST /api/v1/internal/operations/projection-versions/:version_id/compare': [
    ...projectionVersion,
    'PROJECTION_VERSION_IN_USE',
  ],
  'POST /api/v1/internal/operations/projection-versions/:version_id/promote': [
    ...projectionVersion,
    'PROJECTION_VERSION_OF_ANOTHER_VERSION',
  ],
  'DELETE /api/v1/internal/operations/projection-versions/:version_id': [
    'EXPECTED_INTERNAL_PROJECT',
    'PROJECTION_VERSION_NOT_FOUND',
    'PROJECTION_VERSION_IN_USE',
  ],
  'GET /api/v1/internal/setup': ['EXPECTED_INTERNAL_PROJECT'],
  'POST /api/v1/internal/setup': ['EXPECTED_INTERNAL_PROJECT', ...newPassword, 'SETUP_IS_DONE', ...code],
};

/** The calls on API keys of users and of teams differ in who may make them alone. */
function ofApiKeys(
  type: 'user' | 'team',
  who: readonly DomainErrorCode[],
  owner: readonly DomainErrorCode[],
): Record<string, readonly DomainErrorCode[]> {
  const path = `/api/v1/${type}-api-keys`;
  const isOff: DomainErrorCode = type === 'user' ? 'USER_API_KEYS_ARE_OFF' : 'TEAM_API_KEYS_ARE_OFF';
  return {
    [`GET ${path}`]: [isOff, ...who, 'API_KEY_NOT_FOUND'],
    [`POST ${path}`]: [isOff, ...who, 'API_KEY_NOT_FOUND', ...owner, 'QUOTA_EXCEEDED'],
    [`GET ${path}/:api_key_id`]: [isOff, ...who, 'API_KEY_NOT_FOUND'],
    [`PATCH ${path}/:api_key_id`]: [isOff, ...who, 'API_KEY_NOT_FOUND'],
    [`POST ${path}/check`]: [isOff, 'API_KEY_NOT_FOUND', 'WRONG_API_KEY_TYPE', 'API_KEY_REVOKED', 'API_KEY_EXPIRED'],
  };
}

/** A rejection as callers meet it: its code where it has one, else its sentence. */
export const rejectionWords = (code: DomainErrorCode): string =>
  code in plainErrors ? plainText(plainErrors[code as PlainErrorCode], placeholders) : `\`${code}\``;

/** Stands for whatever facts a sentence is made of. */
const placeholders = { quota: null, limit: '{limit}' };

/** What a call (`GET /path/:id`) rejects of its own, and for its rule about sessions. */
export function rejectionsOf(route: string): readonly DomainErrorCode[] {
  const rule = sessionRules[route] ?? 'any';
  const rules = typeof rule === 'string' ? [rule] : Object.values(rule);
  return [
    ...(routeErrors[route] ?? []),
    ...(rules.some((one) => one !== 'any') ? (['IMPERSONATION_NOT_ALLOWED'] as const) : []),
    ...(rules.includes('recent') ? (['REAUTHENTICATION_REQUIRED'] as const) : []),
  ];
}

/** What a call rejects of its own, by status, lowest first. */
export function rejectionsByStatus(route: string): ReadonlyMap<number, readonly string[]> {
  const byStatus = new Map<number, string[]>();
  for (const one of rejectionsOf(route)) {
    const { status } = rejections[one];
    byStatus.set(status, [...(byStatus.get(status) ?? []), rejectionWords(one)]);
  }
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}
