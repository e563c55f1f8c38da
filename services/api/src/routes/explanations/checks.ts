import type { CheckView } from '@gatebook/contract/explanations';
import { plainText, rejections } from '@gatebook/contract/plain-errors';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import { germanChecks } from '../../german/checks.ts';
import type { InEachLanguage, TextLanguage } from '../../http/text-language.ts';
import { type CheckName, type CheckTexts, englishChecks } from './english-checks.ts';

type Check = { name: CheckName; codes: readonly string[] };

/** (protocol, conventions §3.2) The checks of a request, in their order. The last one has all other errors. */
const checks: readonly Check[] = [
  {
    name: 'request',
    codes: ['CROSS_SITE_REQUEST_NOT_ALLOWED', 'BODY_PARSING_ERROR'],
  },
  {
    name: 'access_type',
    codes: ['PROJECT_KEY_WITHOUT_ACCESS_TYPE', 'INVALID_ACCESS_TYPE', 'ACCESS_TYPE_WITHOUT_PROJECT_ID'],
  },
  {
    name: 'access_token',
    codes: ['UNPARSABLE_ACCESS_TOKEN', 'ACCESS_TOKEN_EXPIRED', 'INVALID_PROJECT_FOR_ACCESS_TOKEN'],
  },
  {
    name: 'admin_access_token',
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
    codes: ['PROJECT_NOT_FOUND', 'BRANCH_DOES_NOT_EXIST'],
  },
  {
    name: 'access',
    codes: ['ACCESS_TYPE_REQUIRED', 'INSUFFICIENT_ACCESS_TYPE', 'EXPECTED_INTERNAL_PROJECT'],
  },
  {
    name: 'role',
    codes: ['PROJECT_ROLE_REQUIRED'],
  },
  {
    name: 'session',
    codes: ['IMPERSONATION_NOT_ALLOWED', 'REAUTHENTICATION_REQUIRED'],
  },
  {
    name: 'input',
    codes: ['SCHEMA_ERROR', 'ALL_OVERLOADS_FAILED', 'CANNOT_GET_OWN_USER_WITHOUT_USER'],
  },
  {
    name: 'rate_limit',
    codes: ['RATE_LIMITED', 'OVERLOADED'],
  },
  {
    name: 'idempotency_key',
    codes: ['IDEMPOTENCY_KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED', 'REQUEST_STILL_RUNNING', 'RESPONSE_LOST'],
  },
  {
    name: 'endpoint',
    codes: [],
  },
];

const textsIn: InEachLanguage<CheckTexts> = { en: englishChecks, de: germanChecks };

/** What is known about a rejected request. `facts`: for the text of the error. */
type Rejected = { code: string; hasActor: boolean; facts: Readonly<Record<string, string>> };

/** All checks up to the one that failed with a code, and those that were not reached. */
export function listChecks(language: TextLanguage, { code, hasActor, facts }: Rejected): CheckView[] {
  const texts = textsIn[language];
  // The session of an admin access token is checked with the token, before the caller is known.
  const isOwnerToken = code === 'IMPERSONATION_NOT_ALLOWED' && !hasActor;
  const isCause = ({ name, codes }: Check) => (isOwnerToken ? name === 'admin_access_token' : codes.includes(code));
  const index = checks.findIndex(isCause);
  const cause = index === -1 ? checks.length - 1 : index;
  const text = textOf(code, facts);
  return checks.map(({ name }, at) => {
    const { passed, failed } = texts.checks[name];
    if (at < cause) return { name, passed: true, detail: passed };
    if (at > cause) return { name, passed: null, detail: texts.notReached };
    return { name, passed: false, detail: text === null ? failed : texts.withError(failed, text) };
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
