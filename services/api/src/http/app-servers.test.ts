import { findFreePort } from '@gatebook/runtime/free-port';
import * as newest from 'stack-js-2-8-108';
import { describe, expect, test, vi } from 'vitest';
import { type Call, createProject, newEmail, password, signUp } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

/*
 * An app server calls for many people from one address, here 127.0.0.1. No proxy is trusted, so x-forwarded-for means
 * nothing.
 */
const port = await findFreePort();
const baseUrl = `http://localhost:${port}`;
/** Stands still, so that a slow machine does not start new counters. */
const clock = { at: Date.now() };
const overrides = () => ({ now: () => new Date(clock.at).toISOString() });
const { api, send } = await startSuite({ rateLimits: true, publicUrl: baseUrl, port, overrides });
await api.app.listen({ port, host: 'localhost' });
const project = await createProject(send);
const other = await createProject(send);

const withKey = (address?: string, key = project.keys.server) => ({
  'x-stack-secret-server-key': key,
  ...(address === undefined ? {} : { 'x-gatebook-end-user-address': address }),
});
const signIn = (email: string, headers: Record<string, string> = {}, call: Call = {}) =>
  send('POST', '/auth/password/sign-in', { ...project, body: { email, password: 'wrong password' }, headers, ...call });

/** @returns the status of each of `count` requests in a row */
async function statusesOf(count: number, request: (nth: number) => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < count; nth += 1) statuses.push((await request(nth)).status);
  return statuses;
}

/** People who exist before the test. A server creates them, so that no limit counts them. */
async function createPeople(count: number): Promise<string[]> {
  const flags = { primary_email_verified: true, primary_email_auth_enabled: true };
  const people = Array.from({ length: count }, newEmail);
  for (const email of people) {
    const body = { primary_email: email, password, ...flags };
    expect((await send('POST', '/users', { ...project, access: 'server', body })).status).toBe(201);
  }
  return people;
}

async function startSession(email: string): Promise<string> {
  const answer = await signIn(email, {}, { body: { email, password } });
  expect(answer.status).toBe(200);
  return answer.body.refresh_token;
}

/** As the published clients refresh: with the publishable key and without extra headers. */
const refresh = (token: string) =>
  send('POST', '/auth/oauth/token', {
    headers: { 'x-stack-access-type': '', 'x-stack-publishable-client-key': '' },
    body: {
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: project.projectId,
      client_secret: project.keys.client,
    },
  });

describe('refreshes from one address', () => {
  test('1,500 in a minute, of thirty sessions, all succeed', async () => {
    const sessions = await Promise.all((await createPeople(30)).map(startSession));
    const statuses = await statusesOf(1_500, (nth) => refresh(String(sessions[nth % sessions.length])));
    expect(statuses).toEqual(Array(1_500).fill(200));
  });

  test('with 1,500 invented tokens do not affect valid ones, and each gets its own error', async () => {
    const [email = ''] = await createPeople(1);
    const [valid, ended] = [await startSession(email), await startSession(email)];
    const signedIn = await send('POST', '/auth/sessions/current/refresh', {
      ...project,
      headers: { 'x-stack-refresh-token': ended },
    });
    await send('DELETE', '/auth/sessions/current', { ...project, as: signedIn.body.access_token });
    const statuses = await statusesOf(1_500, (nth) => refresh(`invented ${nth}`));
    expect(statuses).toEqual(Array(1_500).fill(401));
    expect((await refresh(valid)).status).toBe(200);
    expect((await refresh(ended)).body.code).toBe('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    const elsewhere = { ...project, headers: { 'x-stack-refresh-token': valid } };
    expect((await send('POST', '/auth/sessions/current/refresh', elsewhere)).status).toBe(200);
  });

  test('are limited per session: one session’s refreshes do not count for another', async () => {
    const [busy = '', calm = ''] = await Promise.all((await createPeople(2)).map(startSession));
    const statuses = await statusesOf(3_001, () => refresh(busy));
    expect(statuses.indexOf(429)).toBe(3_000);
    expect((await refresh(calm)).status).toBe(200);
  });
});

describe('sign-ins with the publishable key alone', () => {
  test('that succeed are not limited by address, even all at once', async () => {
    const people = await createPeople(200);
    const answers = await Promise.all(people.map((email) => signIn(email, {}, { body: { email, password } })));
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200));
  });

  test('that fail are limited by address, whatever addresses their headers name', async () => {
    clock.at += 60_000;
    const statuses = await statusesOf(121, (nth) =>
      signIn(newEmail(), {
        'x-gatebook-end-user-address': `198.51.100.${nth}`,
        'x-forwarded-for': `198.51.100.${nth}`,
      }),
    );
    expect(statuses.indexOf(429)).toBe(120);
    expect((await signIn(newEmail(), withKey('198.51.100.1', 'ssk_wrong'))).status).toBe(429);
    expect((await signIn(newEmail(), withKey('198.51.100.1', other.keys.server))).status).toBe(429);
    clock.at += 60_000;
  });
});

describe('calls with the publishable key and the secret server key', () => {
  test('are limited by the address that they pass on', async () => {
    const guess = (address: string) => signIn(newEmail(), withKey(address));
    expect((await statusesOf(121, () => guess('203.0.113.1'))).indexOf(429)).toBe(120);
    expect((await guess('203.0.113.2')).status).toBe(400);
    const join = (nth: number) =>
      signUp(send, { ...project, headers: withKey(`203.0.113.${nth % 2}`) }).then(() => ({ status: 200 }));
    expect(await statusesOf(100, join)).toEqual(Array(100).fill(200));
  });

  test('are limited by account alone if they pass on no address, or no proper one', async () => {
    for (const headers of [withKey(), withKey('<script>')]) {
      expect(await statusesOf(130, () => signIn(newEmail(), headers))).toEqual(Array(130).fill(400));
      const email = newEmail();
      expect((await statusesOf(61, () => signIn(email, headers))).indexOf(429)).toBe(60);
    }
  });

  test('are server calls in nothing else', async () => {
    const headers = withKey('203.0.113.3');
    expect((await send('GET', '/users', { ...project, headers })).body.code).toBe('INSUFFICIENT_ACCESS_TYPE');
    const wrong = { ...headers, 'x-stack-publishable-client-key': 'pck_wrong' };
    expect((await signIn(newEmail(), wrong)).body.code).toBe('INVALID_PUBLISHABLE_CLIENT_KEY');
  });

  test('name the same person’s device in the list of sessions', async () => {
    const [email = ''] = await createPeople(1);
    const browser = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0' };
    const headers = { ...withKey('203.0.113.77'), ...browser };
    const { body } = await signIn(email, headers, { body: { email, password } });
    await api.deps.activity.flush();
    const list = await send('GET', '/auth/sessions?user_id=me', { ...project, as: body.access_token });
    expect(list.body.items[0].last_used_at_end_user_ip_info).toMatchObject({ ip: '203.0.113.77' });
  });
});

test('server calls that pass on an address are limited by it', async () => {
  const guess = (address: string) =>
    signIn(newEmail(), { 'x-gatebook-end-user-address': address }, { access: 'server' });
  expect((await statusesOf(121, () => guess('203.0.113.4'))).indexOf(429)).toBe(120);
  expect((await guess('203.0.113.5')).status).toBe(400);
});

test('a published client on an app server passes both on in extraRequestHeaders', async () => {
  const [email = ''] = await createPeople(1);
  const appFor = (address: string) =>
    new newest.StackServerApp({
      baseUrl,
      projectId: project.projectId,
      publishableClientKey: project.keys.client,
      secretServerKey: project.keys.server,
      tokenStore: 'memory',
      redirectMethod: 'none',
      extraRequestHeaders: withKey(address),
    });
  const guess = (address: string) =>
    appFor(address).signInWithCredential({ email: newEmail(), password: 'wrong password', noRedirect: true });
  const guesses = await Promise.all(Array.from({ length: 120 }, () => guess('203.0.113.6')));
  expect(guesses.every(({ status }) => status === 'error')).toBe(true);
  const app = appFor('203.0.113.7');
  expect(await app.signInWithCredential({ email, password, noRedirect: true })).toMatchObject({ status: 'ok' });
  expect(await app.getUser()).toMatchObject({ primaryEmail: email });
});

test('wrong passwords that a server passes on count for the network of its visitor, or for none', async () => {
  const verify = vi.spyOn(api.deps.hasher, 'verify');
  await signIn(newEmail());
  await signIn(newEmail(), withKey());
  await signIn(newEmail(), withKey('203.0.113.7'));
  await signIn(newEmail(), withKey('2001:db8:1:2:3::4'));
  await signIn(newEmail(), {}, { access: 'server' });
  const networks = verify.mock.calls.map(([, , network]) => network);
  verify.mockRestore();
  expect(networks).toEqual(['127.0.0.1', null, '203.0.113.7', '2001:db8:1:2', null]);
});
