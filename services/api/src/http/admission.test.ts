import { pause } from '@gatebook/runtime/pause';
import { describe, expect, test } from 'vitest';
import { createProject, newEmail, password, signUp } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';
import {
  type Admission,
  allowedBacklog,
  bulkAtOnce,
  bulkBesideOthers,
  createAdmission,
  longestTurnMs,
  maxWaiting,
  writingMs,
} from './admission.ts';

const noBacklog = { events: 0, ageMs: 0 };
const leave = (admission: Admission) => ('leave' in admission ? admission.leave() : expect.fail('was rejected'));

describe('bulk writes of a project', () => {
  test('take turns, in the order in which they came', async () => {
    const admission = createAdmission(() => noBacklog);
    const order: number[] = [];
    const writes = Array.from({ length: bulkAtOnce * 3 }, (_, n) =>
      admission.enter('p1', 'bulk').then((admitted) => {
        order.push(n);
        return admitted;
      }),
    );
    await pause(0);
    expect(order).toHaveLength(bulkAtOnce);
    for (const write of writes) leave(await write);
    expect(order).toEqual([...writes.keys()]);
  });

  test('do not wait for those of another project, nor do other writes wait for them', async () => {
    const admission = createAdmission(() => noBacklog);
    for (let n = 0; n < bulkAtOnce; n += 1) await admission.enter('p1', 'bulk');
    for (const [projectId, sender] of [
      ['p2', 'bulk'],
      ['p1', 'user'],
      ['p1', 'sign-in'],
    ] as const) {
      expect(await admission.enter(projectId, sender)).toHaveProperty('leave');
    }
  });

  test('are fewer at once while another project writes', async () => {
    const clock = { ms: 0 };
    const admission = createAdmission(
      () => noBacklog,
      () => clock.ms,
    );
    let entered = 0;
    const enter = async () => {
      const admitted = await admission.enter('p1', 'bulk');
      entered += 1;
      return admitted;
    };
    await admission.enter('p2', 'user');
    const writes = Array.from({ length: bulkAtOnce + 2 }, enter);
    await pause(0);
    expect(entered).toBe(bulkBesideOthers);
    clock.ms = writingMs;
    const first = await writes[0];
    if (first) leave(first);
    await pause(0);
    expect(entered).toBe(bulkAtOnce + 1);
    await admission.enter('p2', 'sign-in');
    for (const write of writes.slice(1, bulkBesideOthers + 1)) leave(await write);
    await pause(0);
    expect(entered).toBe(bulkAtOnce + 1);
    for (const write of writes.slice(bulkBesideOthers + 1, bulkAtOnce + 1)) leave(await write);
    expect(await writes.at(-1)).toHaveProperty('leave');
  });

  test('that wait too long, or after too many others, are rejected', async () => {
    const admission = createAdmission(() => noBacklog);
    for (let n = 0; n < bulkAtOnce; n += 1) await admission.enter('p1', 'bulk');
    const start = performance.now();
    const waiting = Array.from({ length: maxWaiting }, () => admission.enter('p1', 'bulk'));
    expect(await admission.enter('p1', 'bulk')).toEqual({ retryAfterSeconds: 1 });
    expect(await Promise.all(waiting)).toEqual(Array(maxWaiting).fill({ retryAfterSeconds: 1 }));
    expect(performance.now() - start).toBeGreaterThanOrEqual(longestTurnMs - 5);
  });

  test('leave once, however often they say so', async () => {
    const admission = createAdmission(() => noBacklog);
    const [first] = await Promise.all(Array.from({ length: bulkAtOnce }, () => admission.enter('p1', 'bulk')));
    const waiting = [admission.enter('p1', 'bulk'), admission.enter('p1', 'bulk')];
    if (first) for (const _ of [1, 2, 3]) leave(first);
    expect(await waiting[0]).toHaveProperty('leave');
    expect(await waiting[1]).toEqual({ retryAfterSeconds: 1 });
  });
});

test('a project whose events the read models lack is limited in its bulk writes first, and in its sign-ins last', async () => {
  const senders = ['bulk', 'user', 'sign-in'] as const;
  const admitted = async (events: number, ageMs: number) => {
    const admission = createAdmission((projectId) => (projectId === 'p1' ? { events, ageMs } : noBacklog));
    const found: string[] = [];
    for (const sender of senders) {
      if ('leave' in (await admission.enter('p1', sender))) found.push(sender);
      expect(await admission.enter('p2', sender)).toHaveProperty('leave');
    }
    return found;
  };
  const { bulk, user, 'sign-in': last } = allowedBacklog;
  expect(await admitted(bulk.events, bulk.ageMs)).toEqual(['bulk', 'user', 'sign-in']);
  expect(await admitted(bulk.events + 1, 0)).toEqual(['user', 'sign-in']);
  expect(await admitted(1, bulk.ageMs + 1)).toEqual(['user', 'sign-in']);
  expect(await admitted(user.events + 1, 0)).toEqual(['sign-in']);
  expect(await admitted(1, user.ageMs + 1)).toEqual(['sign-in']);
  expect(await admitted(last.events + 1, 0)).toEqual([]);
  const old = createAdmission(() => ({ events: 1, ageMs: 3_400 }));
  expect(await old.enter('p1', 'bulk')).toEqual({ retryAfterSeconds: 4 });
});

const { api, send } = await startSuite({ rateLimits: true });
const [busy, other] = [await createProject(send), await createProject(send)];
const person = await signUp(send, busy);

describe('over HTTP', () => {
  async function withBacklog<T>(events: number, work: () => Promise<T>): Promise<T> {
    const { backlog } = api.deps.acknowledgedWrites;
    const backlogOf = (projectId: string) => (projectId === busy.projectId ? { events, ageMs: 0 } : noBacklog);
    Object.assign(api.deps.acknowledgedWrites, { backlog: backlogOf });
    try {
      return await work();
    } finally {
      Object.assign(api.deps.acknowledgedWrites, { backlog });
    }
  }

  test('a server whose project has a backlog gets 429 and the time to wait; its reads, its users and other projects are served', async () => {
    await withBacklog(allowedBacklog.bulk.events + 1, async () => {
      const create = { access: 'server' as const, body: { primary_email: newEmail() } };
      const limited = await send('POST', '/users', { ...busy, ...create });
      expect(limited.status).toBe(429);
      expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect((await send('POST', '/users', { ...other, ...create })).status).toBe(201);
      expect((await send('GET', '/users', { ...busy, access: 'server' })).status).toBe(200);
      const check = await send('POST', '/user-api-keys/check', {
        ...busy,
        access: 'server',
        body: { api_key: 'uk_1' },
      });
      expect(check.status).not.toBe(429);
      const rename = { ...busy, as: person.accessToken, body: { display_name: 'Ann' } };
      expect((await send('PATCH', '/users/me', rename)).status).toBe(200);
      const signIn = { ...busy, body: { email: person.email, password } };
      expect((await send('POST', '/auth/password/sign-in', signIn)).status).toBe(200);
    });
  });

  test('every bulk write gives its turn back, also when it fails', async () => {
    for (let n = 0; n < bulkAtOnce * 3; n += 1) {
      const failed = await send('DELETE', `/users/${crypto.randomUUID()}`, { ...busy, access: 'server' });
      expect(failed.status).toBe(404);
    }
    const created = await send('POST', '/users', { ...busy, access: 'server', body: { display_name: 'Bob' } });
    expect(created.status).toBe(201);
  });
});
