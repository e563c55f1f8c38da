import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startTestApi, type TestApi } from '@gatebook/api/testing/api';
import { createProject, type OwnedProject, senderOf, signUp } from '@gatebook/api/testing/requests';
import { consumeEvents, type PublicEvent, postgresStore } from '@gatebook/js/events';
import { GatebookServerApp } from '@gatebook/js/server';
import { findFreePort } from '@gatebook/runtime/free-port';
import type { PoolClient } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';

/* Consumers whose effects are rows in Postgres. They are interrupted, killed and run twice. */

let api: TestApi;
let url: string;
let project: OwnedProject;
let app: GatebookServerApp;
let database: TestDatabase;
beforeAll(async () => {
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  api = await startTestApi({ publicUrl: url, port });
  await api.app.listen({ port, host: '127.0.0.1' });
  project = await createProject(senderOf(api));
  const { projectId, keys } = project;
  app = new GatebookServerApp({ baseUrl: url, projectId, secretServerKey: keys.server, tokenStore: null });
  database = await testDatabase();
  await database.pool.query('create table gatebook_consumers (consumer text primary key, cursor text)');
  await database.pool.query('create table effects (place serial, consumer text, event_id text)');
});
afterAll(async () => {
  await api?.close();
  await database?.close();
});

const types = ['team.created'] as const;
const createTeams = async (count: number) => {
  for (let n = 0; n < count; n += 1) await app.createTeam({ displayName: `Team ${n}` });
};
const idsInFeed = async () => (await app.listEvents({ types, limit: 1_000 })).items.map(({ id }) => id);
const effectsOf = async (name: string) => {
  const { rows } = await database.pool.query('select event_id from effects where consumer = $1 order by place', [name]);
  return rows.map((row) => row.event_id);
};

/** Runs a worker until it has seen all events. @throws what it fails with first */
async function runWorker(name: string, connect: () => Promise<PoolClient> = () => database.pool.connect()) {
  const stop = new AbortController();
  const listEvents: typeof app.listEvents = async (options) => {
    const page = await app.listEvents({ ...options, waitInMillis: 0 });
    if (!page.hasMore && page.items.length === 0) stop.abort();
    return page;
  };
  await consumeEvents({
    ...{ app: { listEvents }, name, types, signal: stop.signal, attempts: 1 },
    store: postgresStore({ connect }),
    handle: async ({ id }, tx) => {
      await tx.query('insert into effects (consumer, event_id) values ($1, $2)', [name, id]);
    },
    onError: (error) => {
      throw error;
    },
  });
}

/** Clients whose connection is cut before or after the statement number `step`, counted over all of them. */
function cutConnections(step: number, isAfter: boolean) {
  let statements = 0;
  return async (): Promise<PoolClient> => {
    const client = await database.pool.connect();
    const cut = async () => {
      const { rows } = await client.query('select pg_backend_pid() as pid');
      await database.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    };
    const query = async (text: string, values?: unknown[]) => {
      statements += 1;
      if (statements === step && !isAfter) await cut();
      const result = await client.query(text, values);
      if (statements !== step || !isAfter) return result;
      await cut();
      throw new Error('the connection was cut');
    };
    return new Proxy(client, {
      get: (_, name) => {
        if (name === 'query') return query;
        const value: unknown = Reflect.get(client, name);
        return typeof value === 'function' ? value.bind(client) : value;
      },
    });
  };
}

test('a worker that is interrupted at any statement leaves each effect to happen exactly once', async () => {
  await createTeams(2);
  const expected = await idsInFeed();
  // Loading the cursor twice, then begin, update, effect and commit of each event.
  const steps = 4 + 4 * expected.length;
  for (let step = 1; step <= steps; step += 1) {
    for (const isAfter of [false, true]) {
      const name = `cut ${isAfter ? 'after' : 'before'} ${step}`;
      await expect(runWorker(name, cutConnections(step, isAfter)), name).rejects.toThrow();
      const isCommitted = step === steps && isAfter;
      expect((await effectsOf(name)).length < expected.length, name).toBe(!isCommitted);
      await runWorker(name);
      expect(await effectsOf(name), name).toEqual(expected);
    }
  }
});

test('workers that run at the same time have each effect exactly once, and in order', async () => {
  await createTeams(20);
  await Promise.all([1, 2, 3].map(() => runWorker('shared')));
  expect(await effectsOf('shared')).toEqual(await idsInFeed());
});

const path = fileURLToPath(new URL('consumer.ts', import.meta.url));

test('docs/events-out.md shows the consumer word for word, in at most 40 lines', async () => {
  const code = await readFile(path, 'utf8');
  const page = await readFile(new URL('../../../docs/events-out.md', import.meta.url), 'utf8');
  expect(page).toContain(`\`\`\`ts\n${code}\`\`\``);
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(40);
});

function startConsumer(name: string) {
  const { projectId, keys } = project;
  const child = spawn(process.execPath, [path], {
    env: {
      DATABASE_URL: database.url,
      PGAPPNAME: name,
      GATEBOOK_SECRET_SERVER_KEY: keys.server,
      GATEBOOK_PROJECT_ID: projectId,
      GATEBOOK_API_URL: url,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit').then(([code]) => code);
  return { child, exited };
}

/** Names of the consumers that are past their first statement. */
async function listWorking(): Promise<string[]> {
  const { rows } = await database.pool.query(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name ~ '^worker [12]' and query !~ 'create table' and query <> ''`,
  );
  return rows.map(({ name }) => name);
}

/** Customers as the feed tells them. */
async function expectedCustomers() {
  const { items } = await app.listEvents({ types: ['user.*'], limit: 1_000 });
  const signIns = (id: string) => items.filter((event) => isSignInOf(event, id)).length;
  const created = items.flatMap((event) => (event.type === 'user.created' ? [event.data.id] : []));
  return created.map((id) => ({ user_id: id, sign_ins: signIns(id) })).sort(byId);
}
const isSignInOf = (event: PublicEvent, id: string) => event.type === 'user.signed_in' && event.data.user_id === id;
const byId = (one: { user_id: string }, other: { user_id: string }) => (one.user_id < other.user_id ? -1 : 1);

test('the consumer of the page counts each sign-in once, also if it is killed or runs twice', async () => {
  const customers = async () =>
    (await database.pool.query('select user_id, sign_ins from customers').catch(() => ({ rows: [] }))).rows.sort(byId);
  const send = senderOf(api);
  const killed = startConsumer('worker 0');
  for (let n = 0; n < 5; n += 1) await signUp(send, project);
  await expect.poll(async () => (await customers()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  killed.child.kill('SIGKILL');
  const running = ['worker 1', 'worker 2'].map(startConsumer);
  for (let n = 0; n < 5; n += 1) await signUp(send, project);
  await killed.exited;
  await expect.poll(customers, { timeout: 20_000 }).toEqual(await expectedCustomers());
  // Before, the signal would end a process that is still loading its modules.
  const working = new Set<string>();
  const countWorking = async () => {
    for (const name of await listWorking()) working.add(name);
    return working.size;
  };
  await expect.poll(countWorking, { timeout: 20_000 }).toBe(2);
  for (const { child } of running) child.kill('SIGTERM');
  expect(await Promise.all(running.map(({ exited }) => exited))).toEqual([0, 0]);
});
