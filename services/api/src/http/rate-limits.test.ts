import { createAuthenticator } from '@gatebook/commands/testing/authenticator';
import { createLookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import { describe, expect, test } from 'vitest';
import { startTestApi } from '../testing/api.ts';
import {
  type Call,
  changeConfig,
  createProject,
  newEmail,
  password,
  senderOf,
  signUp,
  unknownId,
} from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';
import { nameOf, networkOf } from './limit-keys.ts';

// Hundreds of requests, many of which hash a password in earnest.
const { api, send } = await startSuite({ rateLimits: true, trustedProxies: ['loopback'] });
const project = await createProject(send, { config: { sign_up_enabled: true } });

const from = (address: string) => ({ 'x-forwarded-for': address });
const signIn = (email: string, address: string, call: Call = {}) =>
  send('POST', '/auth/password/sign-in', {
    body: { email, password: 'wrong password' },
    headers: from(address),
    ...call,
  });
/** @returns the status of each of `count` requests in a row */
async function statusesOf(count: number, request: (nth: number) => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < count; nth += 1) statuses.push((await request(nth)).status);
  return statuses;
}

describe('guessing passwords', () => {
  test('of one account from one address is limited; its user elsewhere is not', async () => {
    const { email } = await signUp(send);
    expect(await statusesOf(10, () => signIn(email, '203.0.113.1'))).toEqual(Array(10).fill(400));
    const slowed = await signIn(email.toUpperCase(), '203.0.113.1');
    expect(slowed.status).toBe(429);
    expect(slowed.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(slowed.headers['x-stack-known-error']).toBeUndefined();
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(slowed.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await signIn(email, '203.0.113.2')).status).toBe(400);
    expect((await signIn(newEmail(), '203.0.113.1')).status).toBe(400);
  });

  test('of one account from many addresses is limited eventually', async () => {
    const email = newEmail();
    const statuses = await statusesOf(61, (guess) => signIn(email, `198.51.100.${guess}`));
    expect(statuses.indexOf(429)).toBe(60);
  });

  test('of many accounts from one address is limited', async () => {
    const statuses = await statusesOf(121, () => signIn(newEmail(), '203.0.113.3'));
    expect(statuses.indexOf(429)).toBe(120);
  });

  test('is limited even when all guesses are concurrent', async () => {
    const { email } = await signUp(send);
    const answers = await Promise.all(Array.from({ length: 40 }, () => signIn(email, '203.0.113.4')));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
  });

  test('does not include correct passwords', async () => {
    const { email } = await signUp(send);
    const right = { body: { email, password }, headers: from('203.0.113.5') };
    expect(await statusesOf(30, () => send('POST', '/auth/password/sign-in', right))).toEqual(Array(30).fill(200));
    expect((await statusesOf(11, () => signIn(email, '203.0.113.5'))).indexOf(429)).toBe(10);
  });

  test('is counted even if the client overrides the status of errors', async () => {
    const { email } = await signUp(send);
    const headers = { ...from('203.0.113.6'), 'x-stack-override-error-status': 'true' };
    const guess = () => signIn(email, '', { headers, body: { email, password: 'wrong password' } });
    const actual: unknown[] = [];
    for (let nth = 0; nth < 11; nth += 1) actual.push((await guess()).headers['x-stack-actual-status']);
    expect(actual.indexOf('429')).toBe(10);
  });

  test('the old one with a stolen access token is limited; the user’s device is not', async () => {
    const chrome = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0' };
    const user = await signUp(send, { headers: { ...chrome, ...from('192.0.2.10') } });
    const update = (body: object, headers: Record<string, string>) =>
      send('POST', '/auth/password/update', { as: user.accessToken, headers, body });
    const guess = (n: number) =>
      update({ old_password: `guess ${n}`, new_password: password }, from(`203.0.113.${100 + n}`));
    for (let n = 0; n < 10; n += 1) expect((await guess(n)).body.code).toBe('PASSWORD_CONFIRMATION_MISMATCH');
    expect((await guess(10)).status).toBe(429);
    const right = { old_password: password, new_password: 'a new long password' };
    expect((await update(right, { ...chrome, ...from('192.0.2.11') })).status).toBe(200);
  });
});

describe('limits that one caller reaches do not affect others', () => {
  test('anonymous sign-ups are counted per address, not in total', async () => {
    expect((await changeConfig(send, project, {})).status).toBe(200);
    const settings = { ...project, access: 'admin' as const, body: { anonymous_sign_up_enabled: true } };
    expect((await send('PATCH', '/internal/projects/current/settings', settings)).status).toBe(200);
    const signUpFrom = (address: string) =>
      send('POST', '/auth/anonymous/sign-up', { ...project, body: {}, headers: from(address) });
    expect(await statusesOf(70, (nth) => signUpFrom(`198.51.100.${nth}`))).toEqual(Array(70).fill(200));
    const fromOne = await statusesOf(61, () => signUpFrom('203.0.113.10'));
    expect(fromOne.indexOf(429)).toBe(60);
    expect((await signUpFrom('203.0.113.11')).status).toBe(200);
  });

  test('a server’s verification emails are counted per user, not per project', async () => {
    const channelOf = async () => {
      const email = newEmail();
      const made = await send('POST', '/users', { ...project, access: 'server', body: { primary_email: email } });
      const list = `/contact-channels?user_id=${made.body.id}`;
      const [channel] = (await send('GET', list, { ...project, access: 'server' })).body.items;
      return `/contact-channels/${made.body.id}/${channel.id}/send-verification-code`;
    };
    const body = { callback_url: 'http://localhost/verify' };
    const mail = (path: string) => send('POST', path, { ...project, access: 'server', body });
    expect(await statusesOf(15, async () => mail(await channelOf()))).toEqual(Array(15).fill(200));
    const path = await channelOf();
    expect((await statusesOf(11, () => mail(path))).indexOf(429)).toBe(10);
  });

  test('a stranger’s sign-ups with an email address do not block its owner', async () => {
    const email = newEmail();
    const body = { email, password: 'short', verification_callback_url: 'http://localhost' };
    const tries = await statusesOf(60, (nth) =>
      send('POST', '/auth/password/sign-up', { ...project, body, headers: from(`203.0.113.${150 + (nth % 3)}`) }),
    );
    expect(tries.slice(0, 60)).toEqual(Array(60).fill(400));
    const own = { ...project, body: { ...body, password }, headers: from('192.0.2.20') };
    expect((await send('POST', '/auth/password/sign-up', own)).status).toBe(200);
  });

  test('a client that sends another user’s ID is not counted as that user', async () => {
    const [stranger, owner] = [await signUp(send, project), await signUp(send, project)];
    const path = (userId: string) => `/contact-channels/${userId}/${unknownId}/send-verification-code`;
    const body = { callback_url: 'http://localhost/verify' };
    const mail = (as: string, address: string) =>
      send('POST', path(owner.userId), { ...project, as, body, headers: from(address) });
    expect(await statusesOf(12, (nth) => mail(stranger.accessToken, `203.0.113.${nth}`))).toContain(429);
    expect((await mail(owner.accessToken, '192.0.2.30')).status).toBe(404);
  });

  test('requests without an identity do not share one counter', () => {
    for (const value of ['', undefined, null, 1, {}]) expect(nameOf(value)).toBeNull();
  });
});

describe('emails', () => {
  test('to one address are limited, whether an account uses it or not', async () => {
    const { email } = await signUp(send);
    for (const address of [email, newEmail()]) {
      const body = { email: address, callback_url: 'http://localhost/reset' };
      const ask = (place: string) => send('POST', '/auth/password/send-reset-code', { body, headers: from(place) });
      expect((await statusesOf(6, () => ask('203.0.113.149'))).indexOf(429)).toBe(5);
      expect((await statusesOf(7, (nth) => ask(`203.0.113.${150 + nth}`))).indexOf(429)).toBe(5);
    }
  });

  test('that strangers request do not block the user’s requests from a known device', async () => {
    const chrome = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0' };
    const { email } = await signUp(send, { headers: { ...chrome, ...from('192.0.2.40') } });
    const body = { email, callback_url: 'http://localhost/reset' };
    const ask = (headers: Record<string, string>) => send('POST', '/auth/password/send-reset-code', { body, headers });
    expect((await statusesOf(12, (nth) => ask(from(`203.0.113.${nth}`)))).indexOf(429)).toBe(10);
    expect((await ask({ ...chrome, ...from('192.0.2.41') })).status).toBe(200);
    expect((await ask({ ...chrome, ...from('198.51.100.41') })).status).toBe(429);
  });
});

test('wrong codes from an address do not block a valid one', async () => {
  const { email, accessToken } = await signUp(send);
  const redeem = (code: string) =>
    send('POST', '/auth/password/reset', { body: { code, password }, headers: from('203.0.113.70') });
  const wrong = await statusesOf(121, () => redeem('z'.repeat(45)));
  expect(wrong.indexOf(429)).toBe(120);
  const body = { email, callback_url: 'http://localhost/reset' };
  await send('POST', '/auth/password/send-reset-code', { body, headers: from('203.0.113.71'), as: accessToken });
  const events = await api.deps.store.readAll(0n, 10_000);
  const mail = events.findLast(({ type }) => type === 'EmailRequested');
  const link = JSON.stringify(mail?.data).match(/code=([a-z0-9]{45})/)?.[1];
  expect((await redeem(String(link))).status).toBe(200);
});

describe('writes of a client', () => {
  test('are limited per user; writes of a server are not', async () => {
    const [eager, other] = [await signUp(send, project), await signUp(send, project)];
    const rename = (as: string, nth: number) =>
      send('PATCH', '/users/me', {
        ...project,
        as,
        body: { display_name: `name ${nth}` },
        headers: from(`203.0.113.${nth % 250}`),
      });
    const statuses = await statusesOf(301, (nth) => rename(eager.accessToken, nth));
    expect(statuses.slice(0, 300)).toEqual(Array(300).fill(200));
    expect(statuses[300]).toBe(429);
    expect((await rename(other.accessToken, 1)).status).toBe(200);
    expect((await send('GET', '/users/me', { ...project, as: eager.accessToken })).status).toBe(200);
    const asServer = { ...project, access: 'server' as const, body: { display_name: 'server' } };
    expect((await send('PATCH', `/users/${eager.userId}`, asServer)).status).toBe(200);
  });

  test('are limited in bytes, so that images can’t fill the log', async () => {
    const user = await signUp(send, project);
    const image = `data:image/png;base64,${'A'.repeat(999_000)}`;
    const call = { ...project, as: user.accessToken, body: { profile_image_url: image } };
    const statuses = await statusesOf(21, () => send('PATCH', '/users/me', call));
    expect(statuses.indexOf(429)).toBe(20);
  });
});

test('malformed requests do not count', async () => {
  const address = from('203.0.113.50');
  for (let time = 0; time < 70; time += 1) {
    expect((await send('POST', '/auth/password/sign-up', { body: {}, headers: address })).status).toBe(400);
  }
  const body = { email: newEmail(), password, verification_callback_url: 'http://localhost' };
  expect((await send('POST', '/auth/password/sign-up', { body, headers: address })).status).toBe(200);
});

test('a server signs in many users from one address', async () => {
  const email = newEmail();
  expect(await statusesOf(15, () => signIn(email, '203.0.113.77', { access: 'server' }))).toEqual(Array(15).fill(400));
});

test('exports are limited per user, and one user’s exports do not count for others', async () => {
  const [eager, other] = [await signUp(send), await signUp(send)];
  const statuses = await statusesOf(70, (nth) =>
    send('GET', '/users/me/export', { as: eager.accessToken, headers: from(`203.0.113.${nth}`) }),
  );
  expect(statuses.indexOf(429)).toBe(10);
  expect((await send('GET', '/users/me/export', { as: other.accessToken })).status).toBe(200);
  for (let nth = 0; nth < 12; nth += 1) {
    const asServer = await send('GET', `/users/${eager.userId}/export`, { access: 'server' });
    expect(asServer.status).toBe(200);
  }
});

test.each([
  ['203.0.113.1', '203.0.113.1'],
  ['::ffff:203.0.113.1', '203.0.113.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:0001::6', '2001:db8:1:0'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('%s belongs to %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('reads are not limited', async () => {
  const user = await signUp(send);
  const answers = await Promise.all(
    Array.from({ length: 400 }, () => send('GET', '/users/me', { as: user.accessToken })),
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);
});

/** As much of Redis as counts need; time stands still. */
function countsInOnePlace() {
  const counts = new Map<string, number>();
  const windows = new Map<string, number>();
  const state = { isAway: false };
  const client = {
    eval: async (_script: string, _keys: number, ...args: (string | number)[]) => {
      if (state.isAway) throw new Error('Connection is closed.');
      const [key, amount, windowMs] = args;
      const count = Math.max(0, (counts.get(String(key)) ?? 0) + Number(amount));
      counts.set(String(key), count);
      windows.set(String(key), Number(windowMs));
      return [count, Number(windowMs)];
    },
  };
  /** Makes the counts of this window what they are after so many requests. */
  const pass = (windowMs: number, count: number) => {
    for (const [key, ms] of windows) if (ms === windowMs) counts.set(key, count);
  };
  return { counts, state, client, pass };
}

describe('what a user adds to the streams of one account or team', () => {
  const hourMs = 3_600_000;

  async function startCounting() {
    const { client, pass } = countsInOnePlace();
    const api = await startTestApi({
      rateLimits: true,
      overrides: () => ({ sharedCounts: client, lookupHash: createLookupHash(Buffer.alloc(32)) }),
    });
    return { api, send: senderOf(api), pass };
  }

  test('is limited by sign-ins with the password', async () => {
    const { api, send: call, pass } = await startCounting();
    const { email } = await signUp(call);
    const enter = async () => (await call('POST', '/auth/password/sign-in', { body: { email, password } })).status;
    expect(await enter()).toBe(200);
    pass(hourMs, 599);
    expect([await enter(), await enter()]).toEqual([200, 429]);
    const other = await signUp(call);
    expect((await call('POST', '/auth/password/sign-in', { body: { email: other.email, password } })).status).toBe(200);
    await api.close();
  });

  test('is limited by sign-ins with a passkey', async () => {
    const { api, send: call, pass } = await startCounting();
    const shop = await createProject(call, { config: { passkey_enabled: true } });
    const authenticators = [createAuthenticator(), createAuthenticator()] as const;
    for (const authenticator of authenticators) {
      const { accessToken: as } = await signUp(call, shop);
      const started = await call('POST', '/auth/passkey/initiate-passkey-registration', { ...shop, as, body: {} });
      const credential = authenticator.register(started.body.options_json);
      await call('POST', '/auth/passkey/register', { ...shop, as, body: { credential, code: started.body.code } });
    }
    const enter = async (authenticator: (typeof authenticators)[0]) => {
      const { body } = await call('POST', '/auth/passkey/initiate-passkey-authentication', { ...shop, body: {} });
      const authentication_response = authenticator.authenticate(body.options_json);
      const answer = { authentication_response, code: body.code };
      return (await call('POST', '/auth/passkey/sign-in', { ...shop, body: answer })).status;
    };
    expect(await enter(authenticators[0])).toBe(200);
    pass(hourMs, 599);
    expect([await enter(authenticators[0]), await enter(authenticators[0])]).toEqual([200, 429]);
    expect(await enter(authenticators[1])).toBe(200);
    await api.close();
  });

  test('is limited by changes of a team by all its members', async () => {
    const { api, send: call, pass } = await startCounting();
    const shop = await createProject(call);
    const [ann, bob] = [await signUp(call, shop), await signUp(call, shop)];
    const team = await call('POST', '/teams', {
      ...shop,
      access: 'server',
      body: { display_name: 'A', creator_user_id: ann.userId },
    });
    const path = `/teams/${team.body.id}`;
    await call('POST', `/team-memberships/${team.body.id}/${bob.userId}`, { ...shop, access: 'server', body: {} });
    await call('POST', `/team-permissions/${team.body.id}/${bob.userId}/$update_team`, {
      ...shop,
      access: 'server',
      body: {},
    });
    let count = 0;
    const rename = async (by: Call) => {
      count += 1;
      return (await call('PATCH', path, { ...shop, ...by, body: { display_name: `Team ${count}` } })).status;
    };
    const stranger = await signUp(call, shop);
    expect(await rename({ as: ann.accessToken })).toBe(200);
    pass(hourMs, 599);
    expect(await rename({ as: stranger.accessToken })).toBe(404);
    expect([await rename({ as: bob.accessToken }), await rename({ as: ann.accessToken })]).toEqual([200, 429]);
    expect(await rename({ access: 'server' })).toBe(200);
    await api.close();
  });
});

test('processes with a shared store count together; while it is unavailable each counts alone', async () => {
  const { counts, state, client } = countsInOnePlace();
  const options = {
    rateLimits: true,
    overrides: () => ({ sharedCounts: client, lookupHash: createLookupHash(Buffer.alloc(32)) }),
  };
  const apis = await Promise.all([startTestApi(options), startTestApi(options)]);
  try {
    const email = newEmail();
    const guess = async (nth: number) => {
      const body = { email, password: 'wrong password' };
      const one = apis[nth % 2] ?? apis[0];
      return senderOf(one)('POST', '/auth/password/sign-in', { body });
    };
    expect(await statusesOf(12, guess)).toEqual([...Array(10).fill(400), 429, 429]);
    expect([...counts.keys()].join()).not.toContain(email);
    expect([...counts.keys()].join()).not.toContain('127.0.0.1');
    state.isAway = true;
    expect(await statusesOf(4, guess)).toEqual(Array(4).fill(400));
  } finally {
    await Promise.all(apis.map((one) => one.close()));
  }
});

test('tests of webhook endpoints are limited per project, over both routes together', async () => {
  const admin = { ...project, access: 'admin' as const };
  const own = () => send('POST', `/webhooks/endpoints/${unknownId}/test`, { ...admin, body: {} });
  const published = () => send('POST', '/internal/send-test-webhook', { ...admin, body: { endpoint_id: unknownId } });
  const statuses = await statusesOf(62, (nth) => (nth % 2 === 0 ? own() : published()));
  expect(statuses).toEqual([...Array(60).fill(404), 429, 429]);
});

test('replays of webhooks are limited per project, dry runs included', async () => {
  const admin = { ...project, access: 'admin' as const };
  const replay = (dry_run: boolean) =>
    send('POST', `/webhooks/endpoints/${unknownId}/replay`, {
      ...admin,
      body: { since_millis: 0, only: 'failed', dry_run },
    });
  const statuses = await statusesOf(62, (nth) => replay(nth % 2 === 0));
  expect(statuses).toEqual([...Array(60).fill(404), 429, 429]);
});
