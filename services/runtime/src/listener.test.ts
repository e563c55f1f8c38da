import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createListener, type Listener } from './listener.ts';
import { createLogger } from './logger.ts';
import { type TestDatabase, testDatabase } from './testing/database.ts';
import { createFaultyLink } from './testing/faulty-link.ts';

const logger = createLogger({ level: 'silent' });
const ignore = () => undefined;

let database: TestDatabase;
let listener: Listener;
beforeAll(async () => {
  database = await testDatabase();
});
afterEach(() => listener.close());
afterAll(() => database.close());

const notify = (channel: string, payload: string) =>
  database.pool.query('select pg_notify($1, $2)', [channel, payload]);

test('each listener of a channel gets its notifications until it stops', async () => {
  listener = createListener(database.url, { name: 'listening', logger });
  const heard: string[] = [];
  await listener.listen('news', (payload) => heard.push(`one ${payload}`), ignore);
  const stop = await listener.listen('news', (payload) => heard.push(`two ${payload}`), ignore);
  await listener.listen('Other "news"', (payload) => heard.push(`other ${payload}`), ignore);
  await notify('news', 'a');
  await expect.poll(() => heard).toEqual(['one a', 'two a']);
  await stop();
  await notify('news', 'b');
  await notify('Other "news"', 'c');
  await expect.poll(() => heard).toEqual(['one a', 'two a', 'one b', 'other c']);
});

test('a broken connection is reopened, and listeners are notified of the gap', async () => {
  listener = createListener(database.url, { name: 'listening', logger });
  const heard = vi.fn();
  const gap = vi.fn();
  await listener.listen('news', heard, gap);
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'listening'",
  );
  await expect.poll(() => gap.mock.calls).toHaveLength(1);
  await notify('news', 'again');
  await expect.poll(() => heard.mock.calls).toEqual([['again']]);
});

test('a connection that stays open but says nothing counts as broken', async () => {
  const link = await createFaultyLink(database.url);
  listener = createListener(link.url, { name: 'silent', logger, heartbeatMs: 500 });
  const heard = vi.fn();
  const [gap, lost] = [vi.fn(), vi.fn()];
  await listener.listen('news', heard, gap, lost);
  link.silence();
  await expect.poll(() => lost.mock.calls).toHaveLength(1);
  expect(gap).not.toHaveBeenCalled();
  link.repair();
  await expect.poll(() => gap.mock.calls).toHaveLength(1);
  await notify('news', 'again');
  await expect.poll(() => heard.mock.calls).toEqual([['again']]);
  await listener.close();
  await link.close();
});

test('a listener whose connection says nothing can be closed', async () => {
  const link = await createFaultyLink(database.url);
  listener = createListener(link.url, { name: 'closing', logger, heartbeatMs: 60_000 });
  await listener.listen('news', ignore, ignore);
  link.silence();
  await listener.close();
  await link.close();
});

test('a listener that fails to handle a gap is notified again, on the same connection', async () => {
  listener = createListener(database.url, { name: 'failing', logger });
  const heard = vi.fn();
  const gap = vi.fn().mockImplementationOnce(() => {
    throw new Error('not now');
  });
  await listener.listen('news', heard, gap);
  const ofListener = "from pg_stat_activity where application_name = 'failing'";
  await database.pool.query(`select pg_terminate_backend(pid) ${ofListener}`);
  await expect.poll(() => gap.mock.calls).toHaveLength(2);
  const { rows } = await database.pool.query<{ count: number }>(`select count(*)::int ${ofListener}`);
  expect(rows).toEqual([{ count: 1 }]);
  await notify('news', 'once');
  await expect.poll(() => heard.mock.calls).toEqual([['once']]);
});

test('a LISTEN that the server rejects leaves no connection', async () => {
  listener = createListener(database.url, { name: 'rejected', logger });
  const rejected = new Error('cannot execute LISTEN during recovery');
  const query = vi.spyOn(pg.Client.prototype, 'query').mockRejectedValueOnce(rejected as never);
  await expect(listener.listen('news', ignore, ignore)).rejects.toThrow(rejected);
  query.mockRestore();
  const ofListener = "from pg_stat_activity where application_name = 'rejected'";
  const connections = async () => (await database.pool.query(`select ${ofListener}`)).rowCount;
  await expect.poll(connections).toBe(0);
  await listener.listen('news', ignore, ignore);
  expect(await connections()).toBe(1);
});

test('a failed LISTEN can be tried again', async () => {
  const url = new URL(database.url);
  url.pathname = `${url.pathname}_later`;
  listener = createListener(url.href, { name: 'listening', logger });
  await expect(listener.listen('news', ignore, ignore)).rejects.toThrow('does not exist');
  const name = url.pathname.slice(1);
  await database.pool.query(`create database ${name}`);
  await listener.listen('news', ignore, ignore);
  await listener.close();
  await database.pool.query(`drop database ${name}`);
});
