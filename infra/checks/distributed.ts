import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from '@gatebook/gatebook/open-log';
import { runLine } from '@gatebook/gatebook/testing/run-line';
import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { mainGroup, metricsGroup } from '@gatebook/readmodel/projection-groups';
import { type DatabaseRole, roleNames } from '@gatebook/runtime/database-roles';
import { createLogger } from '@gatebook/runtime/logger';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Part, startPart, startRedis } from '../testing/parts.ts';
import { internalKeys } from '../testing/product.ts';

const masterKey = Buffer.alloc(32, 7);
const passwords: Readonly<Record<DatabaseRole, string>> = {
  api: 'the password of the API',
  projector: 'the password of the projector',
  worker: 'the password of the worker',
};
const redis = await startRedis();
if (redis === null && process.env.REQUIRE_REDIS)
  throw new Error('REQUIRE_REDIS is set, but redis-server is not installed');

type Access = 'client' | 'server' | 'admin';
type Call = { body?: unknown; access?: Access; projectId?: string; key?: string; as?: string };
type Answer = { status: number; body: Record<string, unknown>; headers: Headers };

const keyHeaders = {
  client: 'x-stack-publishable-client-key',
  server: 'x-stack-secret-server-key',
  admin: 'x-stack-super-secret-admin-key',
} as const;

/** Calls an API process, by default with client access to project `internal`. */
async function send({ url }: Part, method: string, path: string, call: Call = {}): Promise<Answer> {
  const { body, access = 'client', projectId = 'internal', key = internalKeys[access], as } = call;
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      'x-stack-access-type': access,
      'x-stack-project-id': projectId,
      [keyHeaders[access]]: key,
      ...(as === undefined ? {} : { 'x-stack-access-token': as }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return { status: answer.status, body: isJson ? JSON.parse(text) : {}, headers: answer.headers };
}

const asServer = (call: Call = {}): Call => ({ access: 'server', ...call });
const password = 'read at the other one';

/**
 * IDs of acknowledged users, counts of stale responses and of requests without a response, and violations as messages.
 */
type Load = { acknowledged: string[]; stale: number; unanswered: number; faults: string[]; stop(): Promise<void> };

/** Creates users at one API and immediately reads each at the other, eight at a time, until it is stopped. */
function startLoad(apis: () => readonly Part[]): Load {
  let isStopped = false;
  let n = 0;
  const load: Load = {
    acknowledged: [],
    stale: 0,
    unanswered: 0,
    faults: [],
    stop: async () => {
      isStopped = true;
      await working;
    },
  };
  async function once(): Promise<void> {
    const [one, other = one] = n % 2 === 0 ? apis() : [...apis()].reverse();
    n += 1;
    if (!one || !other) return;
    const made = await send(one, 'POST', '/users', asServer({ body: { display_name: `user ${n}` } }));
    if (made.status !== 201) {
      load.faults.push(`a write returned ${made.status}`);
      return;
    }
    load.acknowledged.push(String(made.body.id));
    if (made.headers.get('x-read-model')) load.stale += 1;
    const read = await send(other, 'GET', `/users/${made.body.id}`, asServer());
    if (read.status !== 200)
      load.faults.push(`user ${made.body.id} was acknowledged, but reading it returned ${read.status}`);
  }
  async function work(): Promise<void> {
    while (!isStopped) {
      await once().catch(() => {
        load.unanswered += 1;
      });
    }
  }
  const working = Promise.all(Array.from({ length: 8 }, work));
  return load;
}

/** Starts the store of the log. @returns its settings and a function that stops it */
export type StartLog = (
  folder: string,
) => Promise<{ settings: { GATEBOOK_EVENTSTORE_URL?: string }; close(): Promise<void> }>;

/** Tests of a distributed installation: two processes per role on real ports, some of which are killed. */
export function describeDistributed(where: string, startLog: StartLog): void {
  describe(`two processes per role, with the log in ${where}`, () => {
    let database: TestDatabase;
    let folder: string;
    let log: Awaited<ReturnType<StartLog>>;
    let mails: Awaited<ReturnType<typeof startSmtpServer>>;
    let settings: Record<string, string>;
    let apis: [Part, Part];
    let projectors: [Part, Part];
    let workers: [Part, Part];
    const running = new Set<Part>();
    const acknowledged: string[] = [];
    // Roles are shared by all databases of the server, which other tests use too.
    const rolePrefix = `t${randomBytes(4).toString('hex')}`;
    const names = roleNames(rolePrefix);

    async function start(role: Part['role']): Promise<Part> {
      const part = await startPart(role, { ...settings, GATEBOOK_DATABASE_URL: loginUrl(role) });
      running.add(part);
      return part;
    }
    /** Each process only knows the login of its role. */
    function loginUrl(role: DatabaseRole): string {
      const url = new URL(database.url);
      url.username = names[role];
      url.password = passwords[role];
      return url.href;
    }
    const startTwo = (role: Part['role']) => Promise.all([start(role), start(role)]);
    async function dropRoles(): Promise<void> {
      const other = await testDatabase();
      for (const name of [names.worker, names.projector, names.api])
        await other.pool.query(`drop role if exists ${name}`);
      await other.close();
    }
    async function kill(part: Part): Promise<void> {
      running.delete(part);
      await part.signal('SIGKILL');
    }
    async function leaderOf(parts: readonly Part[]): Promise<Part | undefined> {
      for (const part of parts) if (running.has(part) && (await part.isLeading())) return part;
      return undefined;
    }

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'gatebook-distributed-'));
      [database, log, mails] = await Promise.all([testDatabase(), startLog(folder), startSmtpServer()]);
      settings = {
        ...log.settings,
        GATEBOOK_DATABASE_ROLES: rolePrefix,
        GATEBOOK_MASTER_KEY: masterKey.toString('base64'),
        GATEBOOK_PUBLIC_URL: 'http://localhost:8102',
        GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY: internalKeys.client,
        GATEBOOK_INTERNAL_SECRET_SERVER_KEY: internalKeys.server,
        GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY: internalKeys.admin,
        GATEBOOK_INTERNAL_SIGN_UP: 'open',
        GATEBOOK_RATE_LIMITS: 'off',
        GATEBOOK_LOG_LEVEL: 'warn',
        GATEBOOK_SMTP_URL: mails.url,
        ...(redis === null ? {} : { REDIS_URL: redis.url }),
      };
      const { code, errors } = await runLine('migrate', {
        env: {
          ...settings,
          GATEBOOK_DATABASE_URL: database.url,
          GATEBOOK_DATABASE_API_PASSWORD: passwords.api,
          GATEBOOK_DATABASE_PROJECTOR_PASSWORD: passwords.projector,
          GATEBOOK_DATABASE_WORKER_PASSWORD: passwords.worker,
        },
      });
      if (code !== 0) throw new Error(errors);
      [projectors, workers, apis] = await Promise.all([startTwo('projector'), startTwo('worker'), startTwo('api')]);
    });
    afterAll(async () => {
      await Promise.all([...running].map((part) => part.signal('SIGKILL')));
      await mails.close();
      await log.close();
      await database.close();
      await dropRoles();
      await redis?.close();
      await rm(folder, { recursive: true, force: true });
    });

    test('all processes are ready; one projector and one worker lead, the others stand by', async () => {
      for (const part of running) await expect.poll(part.isReady).toBe(true);
      for (const parts of [projectors, workers]) {
        await expect
          .poll(async () => (await Promise.all(parts.map((part) => part.isLeading()))).sort())
          .toEqual([false, true]);
      }
    });

    test('each process is connected as its role, and none as the owner of the database', async () => {
      const { rows } = await database.pool.query<{ account: string; processes: string[] }>(
        `select usename as account, array_agg(distinct application_name order by application_name) as processes
         from pg_stat_activity where datname = current_database() and application_name <> 'test' group by 1 order by 1`,
      );
      expect(rows.map(({ account }) => account)).toEqual([names.api, names.projector, names.worker]);
    });

    test('a write at one API is visible at the other API immediately', async () => {
      for (let round = 0; round < 10; round += 1) {
        const [here, there] = round % 2 === 0 ? apis : [apis[1], apis[0]];
        const email = `ann${round}@example.com`;
        const signedUp = await send(here, 'POST', '/auth/password/sign-up', {
          body: { email, password, verification_callback_url: 'http://localhost:8102/handler/email-verification' },
        });
        expect(signedUp.status).toBe(200);
        const as = String(signedUp.body.access_token);
        expect((await send(there, 'GET', '/users/me', { as })).body.primary_email).toBe(email);
        await send(there, 'PATCH', '/users/me', { as, body: { display_name: `Ann ${round}` } });
        expect((await send(here, 'GET', '/users/me', { as })).body.display_name).toBe(`Ann ${round}`);
        expect((await send(there, 'DELETE', '/auth/sessions/current', { as })).status).toBe(200);
        expect((await send(here, 'GET', '/users/me', { as })).status).toBe(401);
      }
    });

    test('a change of a project, its keys or its configuration is visible at both APIs once it is acknowledged', async () => {
      const owner = await send(apis[0], 'POST', '/auth/password/sign-up', {
        body: { email: 'owner@example.com', password, verification_callback_url: 'http://localhost:8102/handler' },
      });
      const as = String(owner.body.access_token);
      for (let round = 0; round < 8; round += 1) {
        const [here, there] = round % 2 === 0 ? apis : [apis[1], apis[0]];
        const made = await send(here, 'POST', '/internal/projects', { as, body: { display_name: `project ${round}` } });
        const projectId = String(made.body.id);
        const listed = await send(there, 'GET', '/internal/projects', { as });
        expect((listed.body.items as { id: string }[]).map(({ id }) => id)).toContain(projectId);
        const asOwner: Call = { access: 'admin', projectId, as: undefined };
        const ownerHeaders = { ...asOwner, key: '' };
        const created = await sendAsOwner(there, 'POST', '/internal/api-keys', ownerHeaders, as, {
          description: 'a key',
          expires_at_millis: Date.parse('2099-01-01'),
          has_publishable_client_key: true,
          has_secret_server_key: true,
          has_super_secret_admin_key: false,
        });
        const client: Call = { projectId, key: String(created.body.publishable_client_key) };
        expect((await send(here, 'GET', '/projects/current', client)).body.display_name).toBe(`project ${round}`);
        expect((await send(there, 'GET', '/projects/current', client)).status).toBe(200);
        await sendAsOwner(here, 'PATCH', '/internal/projects/current', ownerHeaders, as, {
          config: { credential_enabled: false },
        });
        const config = (await send(there, 'GET', '/projects/current', client)).body.config;
        expect(config).toMatchObject({ credential_enabled: false });
        await sendAsOwner(there, 'PATCH', `/internal/api-keys/${created.body.id}`, ownerHeaders, as, { revoked: true });
        expect((await send(here, 'GET', '/projects/current', client)).status).toBe(401);
      }
    });

    async function sendAsOwner(
      { url }: Part,
      method: string,
      path: string,
      { projectId = '' }: Call,
      token: string,
      body: unknown,
    ): Promise<Answer> {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          'x-stack-access-type': 'admin',
          'x-stack-project-id': projectId,
          'x-stack-admin-access-token': token,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBeLessThan(300);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, headers: answer.headers };
    }

    test('an API that was stopped during a change of a project does not serve its stale cache', async () => {
      const configOf = async (api: Part) => (await send(api, 'GET', '/projects/current')).body.config;
      // Fills the caches of both APIs.
      for (const api of apis) expect(await configOf(api)).toMatchObject({ client_team_creation_enabled: false });
      await apis[1].signal('SIGSTOP');
      try {
        const body = { config: { client_team_creation_enabled: true } };
        const changed = await send(apis[0], 'PATCH', '/internal/projects/current', { access: 'admin', body });
        expect(changed.status).toBe(200);
        const reading = configOf(apis[1]);
        await apis[1].signal('SIGCONT');
        expect(await reading).toMatchObject({ client_team_creation_enabled: true });
      } finally {
        await apis[1].signal('SIGCONT');
      }
    });

    test('a read of a stale write at the other API waits for it, and other reads do not', async () => {
      await Promise.all(projectors.map((part) => part.signal('SIGSTOP')));
      const reading = { answer: null as Answer | null, ended: Promise.resolve() };
      try {
        const made = await send(apis[0], 'POST', '/users', asServer({ body: { display_name: 'early' } }));
        expect(made.status).toBe(201);
        expect(made.headers.get('x-read-model')).toBe('behind');
        acknowledged.push(String(made.body.id));
        reading.ended = send(apis[1], 'GET', `/users/${made.body.id}`, asServer()).then((answer) => {
          reading.answer = answer;
        });
        expect((await send(apis[1], 'GET', '/users/me', { projectId: crypto.randomUUID() })).status).toBe(401);
        expect(reading.answer).toBeNull();
      } finally {
        await Promise.all(projectors.map((part) => part.signal('SIGCONT')));
      }
      await reading.ended;
      expect(reading.answer?.status).toBe(200);
      expect(reading.answer?.headers.get('x-read-model')).toBeNull();
    });

    test('kill -9 of the leading projector under load: the standby takes over and no request fails', async () => {
      await expect.poll(() => leaderOf(projectors)).toBeDefined();
      const load = startLoad(() => apis);
      await expect.poll(() => load.acknowledged.length).toBeGreaterThan(50);
      const active = await leaderOf(projectors);
      if (!active) throw new Error('no projector leads');
      await kill(active);
      const answeredBefore = load.acknowledged.length;
      await expect.poll(() => leaderOf(projectors), { interval: 20 }).toBeDefined();
      await expect.poll(() => load.acknowledged.length, { interval: 20 }).toBeGreaterThan(answeredBefore + 20);
      await load.stop();
      expect(load.faults).toEqual([]);
      expect(load.unanswered).toBe(0);
      acknowledged.push(...load.acknowledged);
    });

    test('kill -9 of an API under load: the other API has every acknowledged write', async () => {
      const [killed, left] = apis;
      let alive: readonly Part[] = apis;
      const load = startLoad(() => alive);
      await expect.poll(() => load.acknowledged.length).toBeGreaterThan(50);
      const dead = kill(killed);
      alive = [left];
      await dead;
      const answeredBefore = load.acknowledged.length;
      await expect.poll(() => load.acknowledged.length).toBeGreaterThan(answeredBefore + 50);
      await load.stop();
      expect(load.faults).toEqual([]);
      // Requests that the dead process was handling.
      expect(load.unanswered).toBeLessThanOrEqual(8);
      acknowledged.push(...load.acknowledged);
      // A change of a project waits until the lease of the dead process has expired.
      const body = { config: { passkey_enabled: false } };
      expect((await send(left, 'PATCH', '/internal/projects/current', { access: 'admin', body })).status).toBe(200);
      apis = [await start('api'), left];
      for (const id of acknowledged.slice(-5)) {
        expect((await send(apis[0], 'GET', `/users/${id}`, asServer())).status).toBe(200);
      }
    });

    test('each email is sent once; when the leading worker is killed the other continues', async () => {
      const magic = { config: { magic_link_enabled: true } };
      await send(apis[0], 'PATCH', '/internal/projects/current', { access: 'admin', body: magic });
      const requestEmail = async (email: string, api: Part) => {
        const body = { email, callback_url: 'http://localhost:8102/handler/magic-link-callback' };
        expect((await send(api, 'POST', '/auth/otp/send-sign-in-code', asServer({ body }))).status).toBe(200);
      };
      const recipients = Array.from({ length: 20 }, (_, nth) => `once${nth}@example.com`);
      await Promise.all(recipients.map((email, nth) => requestEmail(email, apis[nth % 2 === 0 ? 0 : 1])));
      const emailsTo = (email: string) => mails.received.filter(({ to }) => to.includes(email)).length;
      await expect.poll(() => recipients.map(emailsTo)).toEqual(recipients.map(() => 1));
      await expect.poll(() => leaderOf(workers)).toBeDefined();
      const leading = await leaderOf(workers);
      if (!leading) throw new Error('no worker leads');
      await kill(leading);
      await requestEmail('later@example.com', apis[0]);
      await expect.poll(() => emailsTo('later@example.com')).toBe(1);
      expect(recipients.map(emailsTo)).toEqual(recipients.map(() => 1));
    });

    test('all processes stop cleanly, and the read models have every event and match a rebuild', async () => {
      const stop = async (parts: readonly Part[]) => {
        const codes = await Promise.all(parts.filter((part) => running.delete(part)).map((part) => part.stop()));
        expect(codes).toEqual(codes.map(() => 0));
      };
      // Stops the writers first.
      await stop([...apis, ...workers]);
      const logger = createLogger({ level: 'silent' });
      const shutdown = createShutdown(logger);
      try {
        const { pool, store } = await openLog({
          databaseUrl: database.url,
          eventStore: { url: log.settings.GATEBOOK_EVENTSTORE_URL ?? null, streamPrefix: '' },
          masterKey,
          logger,
          shutdown,
        });
        const liveOf = async () =>
          (await listProjectionVersions(pool, mainGroup.name)).find(({ status }) => status === 'live');
        const head = await store.head();
        await expect.poll(async () => (await liveOf())?.position).toBe(head);
        await stop(projectors);
        const live = await liveOf();
        for (const group of [mainGroup, metricsGroup]) {
          const verification = await compareWithRebuild(pool, store, group);
          expect(
            isConsistent(verification),
            JSON.stringify(verification.tables.filter(({ differing }) => differing > 0)),
          ).toBe(true);
        }
        const { rows } = await pool.query<{ id: string }>(`select id from ${live?.schema}.users`);
        expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
      } finally {
        await shutdown.run();
      }
    });

    test.skipIf(redis === null)(
      `jobs are in Redis and not in Postgres${redis === null ? ' (skipped: redis-server is not installed)' : ''}`,
      async () => {
        expect(settings.REDIS_URL).toBe(redis?.url);
        const { rows } = await database.pool.query(
          `select 1 from information_schema.schemata where schema_name = 'jobs'`,
        );
        expect(rows).toEqual([]);
      },
    );
  });
}
