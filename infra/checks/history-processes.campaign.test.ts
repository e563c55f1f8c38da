import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { windowMs } from '@gatebook/readmodel/activity/rejection-counts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Part } from '../testing/parts.ts';
import { type Installation, prepareInstallation } from './distributed/installation.ts';
import { type Answer, asServer, send } from './distributed/requests.ts';

/* The past and the counts of rejections, with two API processes. The clock of one of them is late. */

const pastClock = new URL('../screenshots/past-clock.ts', import.meta.url);

let installation: Installation;
let folder: string;
let right: Part;
let late: Part;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatebook-clock-'));
  installation = await prepareInstallation(async () => ({ settings: {}, close: async () => undefined }));
  await Promise.all([installation.start('projector'), installation.start('worker')]);
  right = await installation.start('api');
  await setBack(10_000);
  late = await installation.start('api', {
    PAST_CLOCK_FILE: join(folder, 'clock'),
    NODE_OPTIONS: `--import=${pastClock.href}`,
  });
  // The worker builds the past after the tables of the present.
  await vi.waitFor(async () => expect((await readAt(right, Date.now())).status).toBe(200), { timeout: 120_000 });
});
afterAll(async () => {
  await installation?.close();
  await rm(folder, { recursive: true, force: true });
});

const setBack = (ms: number) => writeFile(join(folder, 'clock'), String(ms));

async function createUser(api: Part, name: string): Promise<string> {
  const call = asServer({ body: { display_name: name, primary_email: `${name}@example.com` } });
  const { status, body } = await send(api, 'POST', '/users', call);
  expect(status).toBe(201);
  return String(body.id);
}

type Shown = { eventId: string | null; users: { display_name: string; primary_email: string }[] };
const shownBy = ({ headers, body }: Answer): Shown => ({
  eventId: headers.get('x-as-of-event-id'),
  users: body.items as Shown['users'],
});
const readAt = (api: Part, millis: number) => send(api, 'GET', `/users?limit=200&as_of=${millis}`, asServer());

async function positionOf(eventId: string | null): Promise<number> {
  const { rows } = await installation.database.pool.query<{ position: string }>(
    'select position from log.events where id = $1',
    [eventId],
  );
  return Number(rows[0]?.position);
}

describe('check 16: with two processes, of which one has a clock ten seconds late,', () => {
  test('moments are in order, show no action half, and stay what they were', async () => {
    const shared = await createUser(right, 'shared');
    const start = Date.now();
    let isOver = false;
    const asked = new Map<number, Shown>();
    const reading = [right, right, right].map(async () => {
      while (!isOver) {
        const millis = Date.now();
        const answer = await readAt(right, millis);
        if (answer.status === 200) asked.set(millis, shownBy(answer));
      }
    });
    const writing = [right, late, right, late].map(async (api, nth) => {
      for (let n = 0; n < 25; n += 1) {
        await createUser(api, `${nth}-${n}`);
        // All write to one stream, so some write again, with the time of their first attempt.
        const body = { display_name: `shared ${nth} ${n}` };
        expect((await send(api, 'PATCH', `/users/${shared}`, asServer({ body }))).status).toBe(200);
      }
    });
    await Promise.all(writing);
    isOver = true;
    await Promise.all(reading);
    expect(asked.size).toBeGreaterThan(0);
    const end = Date.now();
    const moments = new Set([
      ...asked.keys(),
      ...Array.from({ length: 40 }, (_, n) => start + ((end - start) / 40) * n),
    ]);
    let [position, count] = [0, 0];
    for (const millis of [...moments].map(Math.floor).sort((one, other) => one - other)) {
      const shown = shownBy(await readAt(right, millis));
      expect(asked.get(millis) ?? shown, `${millis - start} ms`).toEqual(shown);
      const at = await positionOf(shown.eventId);
      expect(at).toBeGreaterThanOrEqual(position);
      expect(shown.users.length).toBeGreaterThanOrEqual(count);
      for (const { primary_email, display_name } of shown.users) {
        if (!display_name.startsWith('shared')) expect(primary_email).toBe(`${display_name}@example.com`);
      }
      [position, count] = [at, shown.users.length];
    }
    expect(shownBy(await readAt(right, end)).users).toHaveLength(101);
    // Its future begins ten seconds earlier: it shows the same moment then, and never another one.
    const now = Date.now();
    const early = await readAt(late, now);
    expect([early.status, early.body.code]).toEqual([400, 'AS_OF_IN_FUTURE']);
    await setBack(0);
    await expect.poll(async () => (await readAt(late, now)).status).toBe(200);
    expect(shownBy(await readAt(late, now))).toEqual(shownBy(await readAt(right, now)));
  });
});

/** The number of rejections in the table, by window. */
async function countsOf(code: string): Promise<Map<number, number>> {
  const { rows } = await installation.database.pool.query<{ millis: number; count: number }>(
    `select (extract(epoch from window_at) * 1000)::float8 as millis, sum(count)::int as count
     from activity.rejections where code = $1 group by 1`,
    [code],
  );
  return new Map(rows.map(({ millis, count }) => [millis, count]));
}
const totalOf = async (code: string) => [...(await countsOf(code)).values()].reduce((sum, count) => sum + count, 0);
const code = 'INVALID_SECRET_SERVER_KEY';

/** Calls with a wrong key: rejected at once, without a hash. */
async function failOften(api: Part, times: number): Promise<void> {
  const perRound = 50;
  for (let n = 0; n < times; n += perRound) {
    const calls = Array.from({ length: perRound }, () => send(api, 'GET', '/users', asServer({ key: 'wrong' })));
    for (const { body } of await Promise.all(calls)) expect(body.code).toBe(code);
  }
}

describe('check 13: rejections of two processes', () => {
  test('are counted exactly, also if one freezes before it writes them', async () => {
    await Promise.all([failOften(right, 500), failOften(late, 500)]);
    await late.signal('SIGSTOP');
    await failOften(right, 100);
    await expect.poll(() => totalOf(code)).toBeGreaterThanOrEqual(600);
    await late.signal('SIGCONT');
    await expect.poll(() => totalOf(code)).toBe(1_100);
  });

  test('count in the window in which they are written, if their own is over', async () => {
    const before = await countsOf(code);
    const start = Date.now();
    await setBack(2 * windowMs);
    await expect.poll(() => readFile(join(folder, 'clock.seen'), 'utf8')).toBe(String(2 * windowMs));
    await failOften(late, 100);
    await expect.poll(() => totalOf(code)).toBe(1_200);
    const later = [...(await countsOf(code))].filter(([window, count]) => before.get(window) !== count);
    for (const [window] of later) expect(window).toBeGreaterThan(start - windowMs);
  });

  test('are lost only with a process that is killed, and then only what it had not written', async () => {
    await Promise.all([failOften(late, 100), failOften(right, 100)]);
    await expect.poll(() => totalOf(code)).toBe(1_400);
    await failOften(late, 100);
    await installation.kill(late);
    await failOften(right, 100);
    await expect.poll(() => totalOf(code)).toBeGreaterThanOrEqual(1_500);
    // A clean end writes everything.
    await failOften(right, 100);
    await right.stop();
    const total = await totalOf(code);
    expect(total).toBeGreaterThanOrEqual(1_600);
    expect(total).toBeLessThanOrEqual(1_700);
  });
});
