import { openLog } from '@gatebook/gatebook/open-log';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { allGroups, mainGroup } from '@gatebook/readmodel/projection-groups';
import { createLogger } from '@gatebook/runtime/logger';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Part } from '../testing/parts.ts';
import { masterKey, prepareInstallation, redis, type StartLog } from './distributed/installation.ts';
import { testKills } from './distributed/kills.ts';
import { testStaleMemory } from './distributed/stale-memory.ts';
import { testVisibleWrites } from './distributed/visible-writes.ts';
import type { World } from './distributed/world.ts';

/** Tests of a distributed installation: two processes per role on real ports, some of which are killed. */
export function describeDistributed(where: string, startLog: StartLog): void {
  describe(`two processes per role, with the log in ${where}`, () => {
    const world = { acknowledged: [] as string[] } as World;

    beforeAll(async () => {
      world.installation = await prepareInstallation(startLog);
      const { startTwo } = world.installation;
      [world.projectors, world.workers, world.apis] = await Promise.all([
        startTwo('projector'),
        startTwo('worker'),
        startTwo('api'),
      ]);
    });
    afterAll(() => world.installation.close());

    test('all processes are ready; one projector and one worker lead, the others stand by', async () => {
      for (const part of world.installation.running) await expect.poll(part.isReady).toBe(true);
      for (const parts of [world.projectors, world.workers]) {
        await expect
          .poll(async () => (await Promise.all(parts.map((part) => part.isLeading()))).sort())
          .toEqual([false, true]);
      }
    });

    test('each process is connected as its role, and none as the owner of the database', async () => {
      const { rows } = await world.installation.database.pool.query<{ account: string; processes: string[] }>(
        `select usename as account, array_agg(distinct application_name order by application_name) as processes
         from pg_stat_activity where datname = current_database() and application_name <> 'test' group by 1 order by 1`,
      );
      expect(rows.map(({ account }) => account)).toEqual([
        world.installation.names.api,
        world.installation.names.projector,
        world.installation.names.worker,
      ]);
    });

    testVisibleWrites(world);
    testStaleMemory(world);
    testKills(world);

    test('all processes stop cleanly, and the read models have every event and match a rebuild', async () => {
      const stop = async (parts: readonly Part[]) => {
        const codes = await Promise.all(
          parts.filter((part) => world.installation.running.delete(part)).map((part) => part.stop()),
        );
        expect(codes).toEqual(codes.map(() => 0));
      };
      // Stops the writers first.
      await stop([...world.apis, ...world.workers]);
      const logger = createLogger({ level: 'silent' });
      const shutdown = createShutdown(logger);
      try {
        const { pool, store } = await openLog({
          databaseUrl: world.installation.database.url,
          eventStore: { url: world.installation.log.settings.GATEBOOK_EVENTSTORE_URL ?? null, streamPrefix: '' },
          masterKey,
          logger,
          shutdown,
        });
        const liveOf = async () =>
          (await listProjectionVersions(pool, mainGroup.name)).find(({ status }) => status === 'live');
        const head = await store.head();
        await expect.poll(async () => (await liveOf())?.position).toBe(head);
        await stop(world.projectors);
        const live = await liveOf();
        for (const group of allGroups) {
          const verification = await compareWithRebuild(pool, store, group);
          expect(
            isConsistent(verification),
            JSON.stringify(verification.tables.filter(({ differing }) => differing > 0)),
          ).toBe(true);
        }
        const { rows } = await pool.query<{ id: string }>(`select id from ${live?.schema}.users`);
        expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(world.acknowledged));
      } finally {
        await shutdown.run();
      }
    });

    test.skipIf(redis === null)(
      `jobs are in Redis and not in Postgres${redis === null ? ' (skipped: redis-server is not installed)' : ''}`,
      async () => {
        expect(world.installation.settings.REDIS_URL).toBe(redis?.url);
        const { rows } = await world.installation.database.pool.query(
          `select 1 from information_schema.schemata where schema_name = 'jobs'`,
        );
        expect(rows).toEqual([]);
      },
    );
  });
}
