import type { CheckView } from '@gatebook/contract/explanations';
import { plainText, rejections } from '@gatebook/contract/plain-errors';
import type { DomainErrorCode } from '@gatebook/domain/errors';

type Check = { name: string; passed: string; failed: string; codes: readonly string[] };

/** (protocol, conventions §3.2) The checks of a request, in their order. The last one has all other errors. */
const checks: readonly Check[] = [
  {
    name: 'request',
    passed: 'The request was readable, and was not sent by a page of another site.',
    failed: 'The request was not readable.',
    codes: ['CROSS_SITE_REQUEST_NOT_ALLOWED', 'BODY_PARSING_ERROR'],
  },
  {
    name: 'access_type',
    passed: 'The headers stated an access type and a project, or no credentials.',
    failed: 'The headers did not state a valid access type and a project.',
    codes: ['PROJECT_KEY_WITHOUT_ACCESS_TYPE', 'INVALID_ACCESS_TYPE', 'ACCESS_TYPE_WITHOUT_PROJECT_ID'],
  },
  {
    name: 'access_token',
    passed: 'No access token was sent, or a valid one.',
    failed: 'The access token was not valid, or was of another project.',
    codes: ['UNPARSABLE_ACCESS_TOKEN', 'ACCESS_TOKEN_EXPIRED', 'INVALID_PROJECT_FOR_ACCESS_TOKEN'],
  },
  {
    name: 'admin_access_token',
    passed: 'No admin access token was sent, or a valid one of an owner.',
    failed: 'The admin access token was not valid.',
    codes: [
      'UNPARSABLE_ADMIN_ACCESS_TOKEN',
      'ADMIN_ACCESS_TOKEN_EXPIRED',
      'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN',
      'TOKEN_OWNER_NOT_FOUND',
      'INVALID_PROJECT_FOR_ADMIN_ACCESS_TOKEN',
    ],
  },
  {
    name: 'project_key',
    passed: 'The project key was valid, or none was needed.',
    failed: 'The project key was missing or not valid.',
    codes: [
      'CLIENT_AUTHENTICATION_REQUIRED',
      'SERVER_AUTHENTICATION_REQUIRED',
      'ADMIN_AUTHENTICATION_REQUIRED',
      'INVALID_PUBLISHABLE_CLIENT_KEY',
      'INVALID_SECRET_SERVER_KEY',
      'INVALID_SUPER_SECRET_ADMIN_KEY',
      'INVALID_OAUTH_CLIENT_ID_OR_SECRET',
    ],
  },
  {
    name: 'project',
    passed: 'The project and its branch exist.',
    failed: 'The project or its branch does not exist.',
    codes: ['PROJECT_NOT_FOUND', 'BRANCH_DOES_NOT_EXIST'],
  },
  {
    name: 'access',
    passed: 'The endpoint is open to this access type.',
    failed: 'The endpoint is not open to this access type.',
    codes: ['ACCESS_TYPE_REQUIRED', 'INSUFFICIENT_ACCESS_TYPE', 'EXPECTED_INTERNAL_PROJECT'],
  },
  {
    name: 'role',
    passed: 'No admin access token was sent, or the role of the member allows the request.',
    failed: 'The role of the member does not allow the request.',
    codes: ['PROJECT_ROLE_REQUIRED'],
  },
  {
    name: 'session',
    passed: 'The session was allowed to do this.',
    failed: 'The session was not allowed to do this.',
    codes: ['IMPERSONATION_NOT_ALLOWED', 'REAUTHENTICATION_REQUIRED'],
  },
  {
    name: 'input',
    passed: 'Path, query and body were valid.',
    failed: 'Path, query or body were not valid. The response of the request names the faults.',
    codes: ['SCHEMA_ERROR', 'ALL_OVERLOADS_FAILED', 'CANNOT_GET_OWN_USER_WITHOUT_USER'],
  },
  {
    name: 'rate_limit',
    passed: 'No rate limit was reached.',
    failed: 'A rate limit was reached.',
    codes: ['RATE_LIMITED', 'OVERLOADED'],
  },
  {
    name: 'idempotency_key',
    passed: 'No idempotency key was sent, or an unused one.',
    failed: 'The idempotency key could not be used.',
    codes: ['IDEMPOTENCY_KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED', 'REQUEST_STILL_RUNNING', 'RESPONSE_LOST'],
  },
  {
    name: 'endpoint',
    passed: 'The endpoint accepted the request.',
    failed: 'The endpoint rejected the request.',
    codes: [],
  },
];

/** What is known about a rejected request. `facts`: for the text of the error. */
type Rejected = { code: string; hasActor: boolean; facts: Readonly<Record<string, string>> };

/** All checks up to the one that failed with a code, and those that were not reached. */
export function listChecks({ code, hasActor, facts }: Rejected): CheckView[] {
  // The session of an admin access token is checked with the token, before the caller is known.
  const isOwnerToken = code === 'IMPERSONATION_NOT_ALLOWED' && !hasActor;
  const isCause = ({ name, codes }: Check) => (isOwnerToken ? name === 'admin_access_token' : codes.includes(code));
  const index = checks.findIndex(isCause);
  const cause = index === -1 ? checks.length - 1 : index;
  return checks.map(({ name, passed, failed }, at) => {
    if (at < cause) return { name, passed: true, detail: passed };
    if (at > cause) return { name, passed: null, detail: 'Not checked, because an earlier check failed.' };
    return { name, passed: false, detail: textOf(code, facts) ?? failed };
  });
}

/** The text of the error, if it needs no facts that are not kept. */
function textOf(code: string, facts: Readonly<Record<string, string>>): string | null {
  if (!Object.hasOwn(rejections, code)) return null;
  const rejection = rejections[code as DomainErrorCode];
  let isComplete = true;
  const known = new Proxy(facts, {
    get: (target, name) => {
      isComplete &&= Object.hasOwn(target, name);
      return Reflect.get(target, name);
    },
  });
  const text = 'details' in rejection ? rejection.text(known) : plainText(rejection, known);
  return isComplete ? text : null;
}

/** Codes that a check names, besides those of endpoints. */
export const codesOfChecks: readonly string[] = checks.flatMap(({ codes }) => codes);
