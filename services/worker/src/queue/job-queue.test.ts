import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { isTemporary } from '@gatebook/projections/subscriptions/temporary';
import { findFreePort } from '@gatebook/runtime/free-port';
import { createLogger } from '@gatebook/runtime/logger';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { createFaultyLink } from '@gatebook/runtime/testing/faulty-link';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createJobQueue, type JobQueue, type Outcome, pauseAfter, type QueuePlace } from './job-queue.ts';

const logger = createLogger({ level: 'silent' });
const noRedis = hasRedis() || process.env.REQUIRE_REDIS ? null : 'redis-server is not installed';

function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function startRedis(): Promise<{ url: string; close(): void }> {
  const port = await findFreePort();
  const server: ChildProcess = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
    stdio: 'ignore',
  });
  await waitUntil(() => canConnect(port));
  return { url: `redis://127.0.0.1:${port}`, close: () => void server.kill() };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.destroy(undefined));
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
}

async function waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs = pollDeadlineMs): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) expect.fail('the condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe.each([
  { kind: 'postgres', missing: null },
  { kind: 'redis', missing: noRedis },
] as const)('the queue on $kind', ({ kind, missing }) => {
  describe.skipIf(missing !== null)(missing ?? 'jobs', () => {
    let place: QueuePlace;
    let closePlace: () => unknown;
    let count = 0;
    const open = async <Data>(name = `test-${count}`): Promise<JobQueue<Data>> =>
      createJobQueue<Data>({ name, place, logger, firstPauseMs: 20 });

    beforeAll(async () => {
      const started = kind === 'redis' ? await startRedis() : await testDatabase();
      place = { kind, url: started.url };
      closePlace = () => started.close();
    });
    afterAll(() => closePlace());

    async function run(handle: (data: string) => Promise<Outcome>, add: (queue: JobQueue<string>) => Promise<void>) {
      count += 1;
      const queue = await open<string>();
      await queue.work(handle);
      await add(queue);
      return queue;
    }

    test('the queue runs a job once', async () => {
      const seen: string[] = [];
      const queue = await run(
        async (data) => {
          seen.push(data);
          return 'done';
        },
        async () => {},
      );
      await queue.add('first', 'one');
      await waitUntil(() => seen.length === 1);
      await queue.close();
      expect(seen).toEqual(['one']);
    });

    test('the queue treats the same ID as the same job while it waits or runs', async () => {
      const seen: string[] = [];
      let release = () => {};
      const blocked = new Promise<void>((resolve) => {
        release = resolve;
      });
      const queue = await run(
        async (data) => {
          seen.push(data);
          await blocked;
          return 'done';
        },
        async (adding) => {
          await Promise.all([adding.add('same', 'a'), adding.add('same', 'a'), adding.add('other', 'b')]);
        },
      );
      await waitUntil(() => seen.length === 2);
      await queue.add('same', 'a');
      release();
      await queue.add('last', 'c');
      await waitUntil(() => seen.includes('c'));
      await queue.close();
      expect(seen.sort()).toEqual(['a', 'b', 'c']);
    });

    test('the queue retries a failing job until it succeeds', async () => {
      let tries = 0;
      const queue = await run(
        async () => {
          tries += 1;
          if (tries < 4) throw new Error('not yet');
          return 'done';
        },
        (adding) => adding.add('stubborn', 'x'),
      );
      await waitUntil(() => tries === 4);
      await queue.close();
      expect(tries).toBe(4);
    });

    test('the queue delays a job that asks for it', async () => {
      const at: number[] = [];
      const queue = await run(
        async () => {
          at.push(performance.now());
          return at.length === 1 ? { laterMs: 300 } : 'done';
        },
        (adding) => adding.add('patient', 'x'),
      );
      await waitUntil(() => at.length === 2);
      expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(250);
      await queue.close();
    });

    test('only a job that nobody has taken counts as waiting', async () => {
      count += 1;
      const queue = await createJobQueue<string>({ name: `test-${count}`, place, logger, concurrency: 1 });
      const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
      const runs: string[] = [];
      await queue.work(async (data) => {
        runs.push(data);
        if (runs.length <= 2) return { laterMs: 300 };
        // Then both are due.
        if (runs.length === 3) await new Promise((resolve) => setTimeout(resolve, 500));
        else await blocked;
        return 'done';
      });
      for (const name of ['one', 'two', 'three']) await queue.add(name, name);
      await waitUntil(async () => runs.length === 4 && (await queue.counts()).waiting === 1);
      expect(await queue.oldestWaitingMs()).toBe(0);
      await queue.add('new', 'new');
      await waitUntil(async () => (await queue.oldestWaitingMs()) > 0);
      expect(await queue.oldestWaitingMs()).toBeLessThan(500);
      release();
      await queue.close();
    });

    describe.each([
      { isBusy: true, longestYieldMs: 60_000, most: 2, what: 'a busy process runs few jobs at once' },
      { isBusy: true, longestYieldMs: 200, most: 10, what: 'a busy process runs more jobs once they have waited' },
      { isBusy: false, longestYieldMs: 60_000, most: 10, what: 'a process that is not busy runs many jobs at once' },
    ])('with a priority of other work', ({ isBusy, longestYieldMs, most, what }) => {
      test(what, async () => {
        count += 1;
        const options = { name: `test-${count}`, place, logger, isBusy: () => isBusy, longestYieldMs };
        const queue = await createJobQueue<string>(options);
        let [running, reached, done] = [0, 0, 0];
        for (let nth = 0; nth < 30; nth += 1) await queue.add(`job ${nth}`, 'x');
        await queue.work(async () => {
          running += 1;
          reached = Math.max(reached, running);
          await new Promise((resolve) => setTimeout(resolve, 100));
          running -= 1;
          done += 1;
          return 'done';
        });
        await waitUntil(() => done === 30);
        await queue.close();
        expect(reached).toBe(most);
      });
    });

    test('the queue keeps waiting jobs for the next process', async () => {
      count += 1;
      const first = await open<string>();
      await first.add('kept', 'x');
      await first.close();
      const seen: string[] = [];
      const second = await open<string>();
      await second.work(async (data) => {
        seen.push(data);
        return 'done';
      });
      await waitUntil(() => seen.length === 1);
      await second.close();
    });
  });
});

test.skipIf(noRedis !== null)(
  'who adds a job does not wait for a Redis that is gone, and can stop',
  async () => {
    const redis = await startRedis();
    const queue = await createJobQueue<string>({ name: 'gone', place: { kind: 'redis', url: redis.url }, logger });
    await queue.work(async () => 'done');
    await queue.add('first', 'one');
    redis.close();
    await waitUntil(async () => !(await canConnect(Number(new URL(redis.url).port))));
    const failure = await queue.add('second', 'two').catch((error: unknown) => error);
    expect(isTemporary(failure)).toBe(true);
    await queue.close();
  },
  20_000,
);

test('jobs can be added again after a network that dropped everything', async () => {
  const { url, close } = await testDatabase();
  const link = await createFaultyLink(url);
  const place: QueuePlace = { kind: 'postgres', url: link.url };
  const queue = await createJobQueue<string>({ name: 'silent', place, logger, answerMs: 1_000 });
  // Fills the pool.
  const addAll = (ids: readonly string[]) => Promise.allSettled(ids.map((id) => queue.add(id, id)));
  await addAll(['a', 'b', 'c', 'd']);
  link.silence();
  const lost = await addAll(['e', 'f', 'g', 'h', 'i']);
  expect(lost.map((add) => add.status === 'rejected' && isTemporary(add.reason))).toEqual(Array(5).fill(true));
  link.repair();
  await queue.add('j', 'ten');
  expect((await queue.counts()).waiting).toBe(5);
  await queue.close();
  await link.close();
  await close();
}, 30_000);

test('commits of the queue in Postgres do not wait for the disk', async () => {
  const { url, pool, close } = await testDatabase();
  await pool.query(
    `do $$ begin execute format('alter database %I set synchronous_commit = on', current_database()); end $$`,
  );
  const queue = await createJobQueue<string>({ name: 'fast', place: { kind: 'postgres', url }, logger });
  await pool.query(`create table commits (setting text);
    create function note_commit() returns trigger language plpgsql as $$
      begin
        insert into public.commits values (current_setting('synchronous_commit'));
        return null;
      end $$;
    create trigger note_commit after insert or delete on jobs.job execute function public.note_commit()`);
  let isDone = false;
  await queue.work(async () => {
    isDone = true;
    return 'done';
  });
  await queue.add('first', 'one');
  await waitUntil(() => isDone);
  await queue.close();
  expect((await pool.query('select distinct setting from commits')).rows).toEqual([{ setting: 'off' }]);
  await close();
});

test('pauses between attempts double, vary, and end at five minutes', () => {
  for (const [tries, middle] of [
    [1, 2_000],
    [2, 4_000],
    [3, 8_000],
    [50, 300_000],
  ] as const) {
    const pauses = Array.from({ length: 50 }, () => pauseAfter(tries, 2_000));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(middle / 2);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(middle * 1.5);
    expect(new Set(pauses).size).toBeGreaterThan(1);
  }
});
