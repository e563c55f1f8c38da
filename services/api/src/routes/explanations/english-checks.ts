type CheckText = { passed: string; failed: string };

const texts = {
  request: {
    passed: 'The request was readable, and was not sent by a page of another site.',
    failed: 'The request was not readable.',
  },
  access_type: {
    passed: 'The headers stated an access type and a project, or no credentials.',
    failed: 'The headers did not state a valid access type and a project.',
  },
  access_token: {
    passed: 'No access token was sent, or a valid one.',
    failed: 'The access token was not valid, or was of another project.',
  },
  admin_access_token: {
    passed: 'No admin access token was sent, or a valid one of an owner.',
    failed: 'The admin access token was not valid.',
  },
  project_key: {
    passed: 'The project key was valid, or none was needed.',
    failed: 'The project key was missing or not valid.',
  },
  project: {
    passed: 'The project and its branch exist.',
    failed: 'The project or its branch does not exist.',
  },
  access: {
    passed: 'The endpoint is open to this access type.',
    failed: 'The endpoint is not open to this access type.',
  },
  role: {
    passed: 'No admin access token was sent, or the role of the member allows the request.',
    failed: 'The role of the member does not allow the request.',
  },
  session: {
    passed: 'The session was allowed to do this.',
    failed: 'The session was not allowed to do this.',
  },
  input: {
    passed: 'Path, query and body were valid.',
    failed: 'Path, query or body were not valid. The response of the request names the faults.',
  },
  rate_limit: {
    passed: 'No rate limit was reached.',
    failed: 'A rate limit was reached.',
  },
  idempotency_key: {
    passed: 'No idempotency key was sent, or an unused one.',
    failed: 'The idempotency key could not be used.',
  },
  endpoint: {
    passed: 'The endpoint accepted the request.',
    failed: 'The endpoint rejected the request.',
  },
} as const satisfies Readonly<Record<string, CheckText>>;

export type CheckName = keyof typeof texts;
/** `withError`: what failed, and the text of the error that the caller got. */
export type CheckTexts = {
  checks: Readonly<Record<CheckName, CheckText>>;
  notReached: string;
  withError: (failed: string, error: string) => string;
};

export const englishChecks: CheckTexts = {
  checks: texts,
  notReached: 'Not checked, because an earlier check failed.',
  withError: (_failed, error) => error,
};
