/** Classes of routes that share limits; see `docs/rate-limits.md`. */
export type LimitName =
  | 'sign-in'
  | 'sign-up'
  | 'anonymous-sign-up'
  | 'set-up'
  | 'password-update'
  | 'refresh'
  | 'send-code'
  | 'send-verification'
  | 'invite'
  | 'code'
  | 'passkey-challenge'
  | 'cli-login'
  | 'cli-poll'
  | 'test-email'
  | 'oauth'
  | 'export';

/**
 * What a counter is kept for. A request that names nothing of the kind is not counted by that rule: nobody shares a counter with all
 * others who have no name.
 * - `address`: the client's, of IPv6 the first 64 bits
 * - `email`: the address in the body, of the project
 * - `user`: the signed-in user, or whom a server acts on
 * - `caller`: the signed-in user
 * - `session`: by the refresh token that is presented
 * - `project`
 */
export type Per = 'address' | 'email' | 'user' | 'caller' | 'session' | 'project';

export type Rule = {
  /** Several make one counter: of an email address from one client address. */
  per: readonly [Per, ...Per[]];
  max: number;
  minutes: number;
  /**
   * Of failures and successes only those are counted in the end, but each request takes its place before it is handled and gives it
   * back after, so that guesses in parallel are limited like guesses in a row. `bytes` are those of the body.
   */
  counts: 'requests' | 'failures' | 'successes' | 'bytes';
  /**
   * Where the secret is too long to guess: over the limit only requests that fail are rejected, and they are counted after the fact.
   * Nobody's failures get in the way of those who hold a good one.
   */
  sparesSuccesses?: boolean;
  /** Over the limit a device that the user signed in from before has a counter of its own. */
  sparesKnownDevices?: boolean;
  /** Holds also for calls with a server or admin key, which come for many people from one address. */
  alsoForServers?: boolean;
};

/** Generous for people and their dashboards, tight for guessing. */
export const rules: Readonly<Record<LimitName, readonly Rule[]>> = {
  'sign-in': [
    { per: ['address'], counts: 'failures', max: 120, minutes: 1 },
    { per: ['email', 'address'], counts: 'failures', max: 10, minutes: 1 },
    // Each starts a session.
    { per: ['email', 'address'], counts: 'requests', max: 60, minutes: 1 },
    {
      per: ['email'],
      counts: 'failures',
      max: 60,
      minutes: 10,
      sparesKnownDevices: true,
      alsoForServers: true,
    },
  ],
  'sign-up': [
    { per: ['address'], counts: 'requests', max: 60, minutes: 1 },
    { per: ['email', 'address'], counts: 'requests', max: 20, minutes: 10 },
  ],
  'anonymous-sign-up': [{ per: ['address'], counts: 'requests', max: 60, minutes: 1 }],
  'set-up': [{ per: ['address'], counts: 'failures', max: 20, minutes: 1, sparesSuccesses: true }],
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
  /** Known and unknown email addresses count alike, so that the limit does not tell them apart. */
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
  /** A code itself can be presented 20 times; this is against trying many codes. */
  code: [{ per: ['address'], counts: 'failures', max: 120, minutes: 1, sparesSuccesses: true }],
  /** Each is an event in the log, for whoever asks. */
  'passkey-challenge': [{ per: ['address'], counts: 'requests', max: 120, minutes: 1 }],
  /** Each authorization request is an event in the log, and comes back once. */
  oauth: [{ per: ['address'], counts: 'requests', max: 120, minutes: 1 }],
  'cli-login': [{ per: ['address'], counts: 'requests', max: 30, minutes: 1 }],
  'cli-poll': [{ per: ['address'], counts: 'failures', max: 600, minutes: 1, sparesSuccesses: true }],
  /** Each opens a connection to wherever the caller likes. */
  'test-email': [{ per: ['project'], counts: 'requests', max: 20, minutes: 10, alsoForServers: true }],
  /** Reads everything about one person. Nobody alone can use up what a project has. */
  export: [
    { per: ['caller'], counts: 'requests', max: 10, minutes: 10 },
    { per: ['project'], counts: 'requests', max: 60, minutes: 1, alsoForServers: true },
  ],
  /** App servers refresh for all their users from one address, so a good token depends on nobody else's. */
  refresh: [
    { per: ['session'], counts: 'successes', max: 600, minutes: 1 },
    { per: ['address'], counts: 'failures', max: 1_200, minutes: 1, sparesSuccesses: true },
  ],
};

/** For every write of a client, besides the route's own: what one user can append to a log that forgets nothing. */
export const clientWrites: readonly Rule[] = [
  { per: ['caller'], counts: 'requests', max: 300, minutes: 1 },
  { per: ['caller'], counts: 'bytes', max: 20_000_000, minutes: 10 },
];
