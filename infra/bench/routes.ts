import type { Call } from './load.ts';
import type { People } from './population.ts';
import { type Access, password, serverHeaders } from './world.ts';

export type Route = {
  /** As in the table of results. */
  name: string;
  /** What rate and CPU must reach, times the bare server's; null without an aim. */
  aim: number | null;
  /** What the rate must reach with many callers on any machine. */
  perSecond?: number;
  /** Whether both servers give the same answer to the same call. */
  isSame?: boolean;
  sendsEmail?: boolean;
  /** @returns the nth call, on either server */
  calls: (access: Access, people: People) => (n: number) => Call;
};

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';
const json = { 'content-type': 'application/json' };
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
/** Users that sign in with a password: few enough that each of them has a known device soon. */
const signingIn = 500;

const clientHeaders = ({ projectId, keys }: Access, accessToken?: string) => ({
  'x-stack-access-type': 'client',
  'x-stack-project-id': projectId,
  'x-stack-publishable-client-key': keys.client,
  'user-agent': browser,
  ...(accessToken !== undefined && { 'x-stack-access-token': accessToken }),
});

const list =
  (query: (people: People, n: number) => string): Route['calls'] =>
  (access, people) =>
  (n) => ({ method: 'GET', path: `/users?limit=50${query(people, n)}`, headers: serverHeaders(access) });

const signUp =
  (withMail: boolean): Route['calls'] =>
  (access) =>
  (n) => ({
    method: 'POST',
    path: '/auth/password/sign-up',
    headers: { ...clientHeaders(access), ...json },
    body: JSON.stringify({
      email: `new.${n}@sign-up.example`,
      password,
      ...(withMail && { verification_callback_url: 'http://localhost:3000/handler/email-verification' }),
    }),
  });

export const routes = {
  'users/me': {
    name: '`GET /users/me`',
    aim: 1.5,
    isSame: true,
    calls: (access) => (n) => ({
      method: 'GET',
      path: '/users/me',
      headers: clientHeaders(access, pick(access.sessions, n).accessToken),
    }),
  },
  refresh: {
    name: 'token refresh',
    aim: 0.9,
    calls: (access) => (n) => ({
      method: 'POST',
      path: '/auth/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: pick(access.sessions, n).refreshToken,
        client_id: access.projectId,
        client_secret: access.keys.client,
      }).toString(),
    }),
  },
  'key-check': {
    name: 'API-key check',
    aim: 1.3,
    calls: (access) => (n) => ({
      method: 'POST',
      path: '/user-api-keys/check',
      headers: { ...serverHeaders(access), ...json },
      body: JSON.stringify({ api_key: pick(access.apiKeys, n) }),
    }),
  },
  'list-first': { name: 'list, first page of 50', aim: 0.9, isSame: true, calls: list(() => '') },
  'list-middle': {
    name: 'list, page in the middle',
    aim: 0.9,
    isSame: true,
    calls: list(({ ids }, n) => `&cursor=${ids[Math.floor(ids.length / 2) + (n % Math.ceil(ids.length / 4))]}`),
  },
  'search-rare': {
    name: 'search, one match',
    aim: 1,
    isSame: true,
    calls: list(({ ids }, n) => `&query=.${(n * 7919) % ids.length}%40`),
  },
  'search-common': { name: 'search, many matches', aim: 1, isSame: true, calls: list(() => '&query=ann') },
  'search-exact': {
    name: 'search, exact address',
    aim: null,
    isSame: true,
    calls: list(({ emails }, n) => `&query=${encodeURIComponent(pick(emails, n * 7919))}`),
  },
  'sign-in': {
    name: 'password sign-in',
    aim: 0.9,
    calls:
      (access, { emails }) =>
      (n) => ({
        method: 'POST',
        path: '/auth/password/sign-in',
        headers: { ...clientHeaders(access), ...json },
        body: JSON.stringify({ email: emails[n % Math.min(emails.length, signingIn)], password }),
      }),
  },
  'sign-up': { name: 'sign-up', aim: 0.85, calls: signUp(false) },
  'sign-up-with-mail': { name: 'sign-up with its email', aim: 0.6, sendsEmail: true, calls: signUp(true) },
  rename: {
    name: 'change own name',
    aim: 0.5,
    perSecond: 1_000,
    calls: (access) => (n) => ({
      method: 'PATCH',
      path: '/users/me',
      headers: { ...clientHeaders(access, pick(access.sessions, n).accessToken), ...json },
      body: JSON.stringify({ display_name: `Ann ${n}` }),
    }),
  },
  'create-user': {
    name: 'create user',
    aim: null,
    calls: (access) => (n) => ({
      method: 'POST',
      path: '/users',
      headers: { ...serverHeaders(access), ...json },
      body: JSON.stringify({ display_name: `Bea ${n}`, primary_email: `bea.${n}@created.example` }),
    }),
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;
