/** Classes of routes that share limits; see `docs/rate-limits.md`. */
export type LimitName =
  | 'sign-in'
  | 'sign-up'
  | 'anonymous-sign-up'
  | 'setup'
  | 'password-update'
  | 'refresh'
  | 'send-code'
  | 'send-verification'
  | 'invite'
  | 'code'
  | 'passkey-challenge'
  | 'passkey-sign-in'
  | 'team-update'
  | 'cli-login'
  | 'cli-poll'
  | 'test-email'
  | 'test-issuer'
  | 'test-webhook'
  | 'replay-webhooks'
  | 'send-email'
  | 'oauth'
  | 'export';

/**
 * What a counter counts by. A rule does not count requests that lack it, so that unnamed callers never share a counter.
 * - `address`: the client's address, or the first 64 bits of an IPv6 address
 * - `email`: the email address in the body, per project
 * - `user`: the signed-in user, or the user that a server acts on
 * - `caller`: the signed-in user
 * - `session`: the presented refresh token
 * - `passkey`: the presented passkey
 * - `team`: the team in the path
 * - `project`
 */
export type Per = 'address' | 'email' | 'user' | 'caller' | 'session' | 'passkey' | 'team' | 'project';

export type Rule = {
  /** Several make one counter, for example per email address and client address. */
  per: readonly [Per, ...Per[]];
  max: number;
  minutes: number;
  /**
   * For failures and successes, each request takes a slot before it is handled and returns it if the outcome is
   * different. So parallel guesses are limited like sequential ones. `bytes` counts the size of the body.
   */
  counts: 'requests' | 'failures' | 'successes' | 'bytes';
  /**
   * For secrets that are too long to guess. Failures are counted after the fact, and over the limit only failing
   * requests are rejected. So failures of others never block a valid secret.
   */
  sparesSuccesses?: boolean;
  /** Over the limit, a known device of the user has a separate counter. */
  sparesKnownDevices?: boolean;
  /** The first rejection is recorded in the history of the user. */
  isRecorded?: boolean;
  /** Also applies to calls from a server with its secret key, which serve many users from one address. */
  alsoForServers?: boolean;
};

/** Limits how fast the streams of one user or team grow (docs/decisions/0053). */
const growth = (per: Rule['per']): Rule => ({ per, counts: 'successes', max: 600, minutes: 60 });

/** Generous for users and dashboards, strict for guessing. */
export const rules: Readonly<Record<LimitName, readonly Rule[]>> = {
  'sign-in': [
    { per: ['address'], counts: 'failures', max: 120, minutes: 1 },
    { per: ['email', 'address'], counts: 'failures', max: 10, minutes: 1 },
    // Each request starts a session.
    { per: ['email', 'address'], counts: 'requests', max: 60, minutes: 1 },
    growth(['email']),
    {
      per: ['email'],
      counts: 'failures',
      max: 60,
      minutes: 10,
      sparesKnownDevices: true,
      isRecorded: true,
      alsoForServers: true,
    },
  ],
  'sign-up': [
    { per: ['address'], counts: 'requests', max: 60, minutes: 1 },
    { per: ['email', 'address'], counts: 'requests', max: 20, minutes: 10 },
  ],
  'anonymous-sign-up': [{ per: ['address'], counts: 'requests', max: 60, minutes: 1 }],
  setup: [{ per: ['address'], counts: 'failures', max: 20, minutes: 1, sparesSuccesses: true }],
  'password-update': [
    {
      per: ['caller'],
      counts: 'failures',
      max: 10,
      minutes: 1,
      sparesKnownDevices: true,
      alsoForServers: true,
    },
  ],
  /** Counts known and unknown email addresses alike, so that the limit does not reveal which exist. */
  'send-code': [
    { per: ['address'], counts: 'requests', max: 60, minutes: 10 },
    { per: ['email', 'address'], counts: 'requests', max: 5, minutes: 10 },
    {
      per: ['email'],
      counts: 'requests',
      max: 10,
      minutes: 10,
      sparesKnownDevices: true,
      alsoForServers: true,
    },
  ],
  'send-verification': [
    { per: ['address'], counts: 'requests', max: 60, minutes: 10 },
    { per: ['user'], counts: 'requests', max: 10, minutes: 10, alsoForServers: true },
  ],
  invite: [
    { per: ['address'], counts: 'requests', max: 60, minutes: 10 },
    { per: ['email', 'caller'], counts: 'requests', max: 10, minutes: 10 },
    { per: ['caller'], counts: 'requests', max: 60, minutes: 10 },
  ],
  /** A single code can be presented 20 times. This limits guessing many codes. */
  code: [{ per: ['address'], counts: 'failures', max: 120, minutes: 1, sparesSuccesses: true }],
  'passkey-sign-in': [
    { per: ['address'], counts: 'failures', max: 120, minutes: 1, sparesSuccesses: true },
    growth(['passkey']),
  ],
  /** All members together write the events of a team. */
  'team-update': [growth(['team'])],
  /** Each request appends an event, without authentication. */
  'passkey-challenge': [{ per: ['address'], counts: 'requests', max: 120, minutes: 1 }],
  /** Each authorization request appends an event and comes back once. */
  oauth: [{ per: ['address'], counts: 'requests', max: 120, minutes: 1 }],
  'cli-login': [{ per: ['address'], counts: 'requests', max: 30, minutes: 1 }],
  'cli-poll': [{ per: ['address'], counts: 'failures', max: 600, minutes: 1, sparesSuccesses: true }],
  /** The worker limits how many of the emails are sent per hour. */
  'send-email': [{ per: ['project'], counts: 'requests', max: 600, minutes: 1, alsoForServers: true }],
  /** Each request opens a connection to a host that the caller chooses. */
  'test-email': [{ per: ['project'], counts: 'requests', max: 20, minutes: 10, alsoForServers: true }],
  'test-issuer': [{ per: ['project'], counts: 'requests', max: 20, minutes: 10, alsoForServers: true }],
  'test-webhook': [{ per: ['project'], counts: 'requests', max: 60, minutes: 10, alsoForServers: true }],
  /** Counts events for a second, also in a dry run. */
  'replay-webhooks': [{ per: ['project'], counts: 'requests', max: 60, minutes: 10, alsoForServers: true }],
  /** Reads everything about one user. A single user can't use up the project's limit. */
  export: [
    { per: ['caller'], counts: 'requests', max: 10, minutes: 10 },
    { per: ['project'], counts: 'requests', max: 60, minutes: 1, alsoForServers: true },
  ],
  /**
   * App servers refresh many sessions from one address, each several times per page. So the address does not matter.
   * Failures have no limit: tokens are too long to guess, and a visitor with an ended session must learn that it ended.
   */
  refresh: [{ per: ['session'], counts: 'successes', max: 3_000, minutes: 1 }],
};

/** For every write of a client, in addition to the limits of the route. Limits what one user can append to the log. */
export const clientWrites: readonly Rule[] = [
  { per: ['caller'], counts: 'requests', max: 300, minutes: 1 },
  { per: ['caller'], counts: 'bytes', max: 20_000_000, minutes: 10 },
  { per: ['caller'], counts: 'requests', max: 10_000, minutes: 1_440 },
  { per: ['caller'], counts: 'bytes', max: 100_000_000, minutes: 1_440 },
];
