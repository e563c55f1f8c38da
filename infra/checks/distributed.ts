import { openLog } from '@gatebook/gatebook/open-log';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { allGroups, mainGroup } from '@gatebook/readmodel/projection-groups';
import { createLogger } from '@gatebook/runtime/logger';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Part } from '../testing/parts.ts';
import { type Installation, masterKey, prepareInstallation, redis, type StartLog } from './distributed/installation.ts';
import { type Answer, asServer, type Call, password, send, startLoad } from './distributed/requests.ts';

/** Tests of a distributed installation: two processes per role on real ports, some of which are killed. */
export function describeDistributed(where: string, startLog: StartLog): void {
  describe(`two processes per role, with the log in ${where}`, () => {
    let installation: Installation;
    let apis: [Part, Part];
    let projectors: [Part, Part];
    let workers: [Part, Part];
    const acknowledged: string[] = [];

    beforeAll(async () => {
      installation = await prepareInstallation(startLog);
      const { startTwo } = installation;
      [projectors, workers, apis] = await Promise.all([startTwo('projector'), startTwo('worker'), startTwo('api')]);
    });
    afterAll(() => installation.close());

    test('all processes are ready; one projector and one worker lead, the others stand by', async () => {
      for (const part of installation.running) await expect.poll(part.isReady).toBe(true);
      for (const parts of [projectors, workers]) {
        await expect
          .poll(async () => (await Promise.all(parts.map((part) => part.isLeading()))).sort())
          .toEqual([false, true]);
      }
    });

    test('each process is connected as its role, and none as the owner of the database', async () => {
      const { rows } = await installation.database.pool.query<{ account: string; processes: string[] }>(
        `select usename as account, array_agg(distinct application_name order by application_name) as processes
         from pg_stat_activity where datname = current_database() and application_name <> 'test' group by 1 order by 1`,
      );
      expect(rows.map(({ account }) => account)).toEqual([
        installation.names.api,
        installation.names.projector,
        installation.names.worker,
      ]);
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

    /** Signs a user up, with an API key, and fills the caches of both APIs with all of it. */
    async function signUpHotUser(email: string) {
      const signedUp = await send(apis[0], 'POST', '/auth/password/sign-up', {
        body: { email, password, verification_callback_url: 'http://localhost:8102/handler/email-verification' },
      });
      const as = String(signedUp.body.access_token);
      const made = await send(apis[0], 'POST', '/user-api-keys', {
        as,
        body: { user_id: 'me', description: 'hot', expires_at_millis: null },
      });
      const user = {
        as,
        refreshToken: String(signedUp.body.refresh_token),
        keyId: String(made.body.id),
        isSignedIn: async (api: Part) => (await send(api, 'GET', '/users/me', { as })).status === 200,
        name: async (api: Part) => (await send(api, 'GET', '/users/me', { as })).body.display_name,
        isKeyValid: async (api: Part) => {
          const body = { api_key: made.body.value };
          return (await send(api, 'POST', '/user-api-keys/check', asServer({ body }))).status === 200;
        },
      };
      for (const api of [...apis, ...apis]) {
        expect([await user.isSignedIn(api), await user.isKeyValid(api)]).toEqual([true, true]);
      }
      return user;
    }

    test('an API that was stopped while a session and a key were revoked and a user renamed serves none of it from memory', async () => {
      const body = { config: { allow_user_api_keys: true } };
      await send(apis[0], 'PATCH', '/internal/projects/current', { access: 'admin', body });
      const [signedOut, revoked, renamed] = [
        await signUpHotUser('hot1@example.com'),
        await signUpHotUser('hot2@example.com'),
        await signUpHotUser('hot3@example.com'),
      ];
      await apis[1].signal('SIGSTOP');
      try {
        const answers = await Promise.all([
          send(apis[0], 'DELETE', '/auth/sessions/current', { as: signedOut.as }),
          send(apis[0], 'PATCH', `/user-api-keys/${revoked.keyId}`, asServer({ body: { revoked: true } })),
          send(apis[0], 'PATCH', '/users/me', { as: renamed.as, body: { display_name: 'renamed' } }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        const reading = Promise.all([
          signedOut.isSignedIn(apis[1]),
          revoked.isKeyValid(apis[1]),
          renamed.name(apis[1]),
          send(apis[1], 'POST', '/auth/sessions/current/refresh', { refreshToken: signedOut.refreshToken }),
        ]);
        await apis[1].signal('SIGCONT');
        const [isSignedIn, isKeyValid, name, refreshed] = await reading;
        expect([isSignedIn, isKeyValid, name, refreshed.status]).toEqual([false, false, 'renamed', 401]);
      } finally {
        await apis[1].signal('SIGCONT');
      }
    });

    test('what is revoked at one API is rejected by the other at once, while an API is killed', async () => {
      const users = await Promise.all(
        Array.from({ length: 8 }, (_, nth) => signUpHotUser(`revoked${nth}@example.com`)),
      );
      const third = await installation.start('api');
      for (const user of users) expect(await user.isSignedIn(third)).toBe(true);
      for (const [nth, user] of users.entries()) {
        const [here, there] = nth % 2 === 0 ? apis : [apis[1], apis[0]];
        const killed = nth === 4 ? installation.kill(third) : undefined;
        const body = { revoked: true };
        expect((await send(here, 'PATCH', `/user-api-keys/${user.keyId}`, asServer({ body }))).status).toBe(200);
        expect(await user.isKeyValid(there)).toBe(false);
        expect((await send(here, 'DELETE', '/auth/sessions/current', { as: user.as })).status).toBe(200);
        expect(await user.isSignedIn(there)).toBe(false);
        await killed;
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
      await expect.poll(() => installation.leaderOf(projectors)).toBeDefined();
      const load = startLoad(() => apis);
      await expect.poll(() => load.acknowledged.length).toBeGreaterThan(50);
      const active = await installation.leaderOf(projectors);
      if (!active) throw new Error('no projector leads');
      await installation.kill(active);
      const answeredBefore = load.acknowledged.length;
      await expect.poll(() => installation.leaderOf(projectors), { interval: 20 }).toBeDefined();
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
      const dead = installation.kill(killed);
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
      apis = [await installation.start('api'), left];
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
      const emailsTo = (email: string) => installation.mails.received.filter(({ to }) => to.includes(email)).length;
      await expect.poll(() => recipients.map(emailsTo)).toEqual(recipients.map(() => 1));
      await expect.poll(() => installation.leaderOf(workers)).toBeDefined();
      const leading = await installation.leaderOf(workers);
      if (!leading) throw new Error('no worker leads');
      await installation.kill(leading);
      await requestEmail('later@example.com', apis[0]);
      await expect.poll(() => emailsTo('later@example.com')).toBe(1);
      expect(recipients.map(emailsTo)).toEqual(recipients.map(() => 1));
    });

    test('all processes stop cleanly, and the read models have every event and match a rebuild', async () => {
      const stop = async (parts: readonly Part[]) => {
        const codes = await Promise.all(
          parts.filter((part) => installation.running.delete(part)).map((part) => part.stop()),
        );
        expect(codes).toEqual(codes.map(() => 0));
      };
      // Stops the writers first.
      await stop([...apis, ...workers]);
      const logger = createLogger({ level: 'silent' });
      const shutdown = createShutdown(logger);
      try {
        const { pool, store } = await openLog({
          databaseUrl: installation.database.url,
          eventStore: { url: installation.log.settings.GATEBOOK_EVENTSTORE_URL ?? null, streamPrefix: '' },
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
        for (const group of allGroups) {
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
        expect(installation.settings.REDIS_URL).toBe(redis?.url);
        const { rows } = await installation.database.pool.query(
          `select 1 from information_schema.schemata where schema_name = 'jobs'`,
        );
        expect(rows).toEqual([]);
      },
    );
  });
}
