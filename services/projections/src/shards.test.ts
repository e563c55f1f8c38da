import { createListener } from '@gatebook/runtime/listener';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createLogTail } from './log-tail.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions } from './projection-versions.ts';
import { runProjector } from './run-projector.ts';
import { shardOf, shardOfColumn } from './shards.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { runUntilEnded } from './testing/run-until-ended.ts';
import { create, createTalliesLog, liveOf, projectOf, recordPeople, rename, talliesGroup } from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';
import { compareWithRebuild, isConsistent } from './verify.ts';
import { createReadModels, type ReadModels } from './wait.ts';

let database: TestDatabase;
let log: TestLog;
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  await recordPeople(log);
});
afterEach(() => database.close());

function startProjecting(group: ProjectionGroup): () => Promise<void> {
  const end = runUntilEnded((signal) => runProjector({ store: log.store, pool: database.pool, group, logger }, signal));
  onTestFinished(end);
  return end;
}

/** A reading process, which follows the log unless `isBlind`. */
async function startReading(group: ProjectionGroup, { isBlind = false } = {}): Promise<ReadModels> {
  const listener = createListener(database.url, { name: 'reading', logger });
  const readModels = await createReadModels({ pool: database.pool, listener, groups: [group], logger });
  const tail = createLogTail({ store: log.store, logger });
  if (!isBlind) readModels.followLog(tail, ({ metadata }) => new Set([metadata.projectId]));
  const end = runUntilEnded((signal) => tail.follow(signal));
  onTestFinished(async () => {
    await end();
    await readModels.close();
    await listener.close();
  });
  await readModels.ready();
  await expect.poll(tail.followed).not.toBeNull();
  return readModels;
}

const caughtUp = async (name = 'main') =>
  expect.poll(async () => (await liveOf(database.pool, name))?.position).toBe(await log.store.head());

test('a project has the same shard on every machine and in Postgres', async () => {
  const projects = ['internal', 'north', 'farm', 'west', 'ä€𝄞', ''];
  expect(projects.map((projectId) => shardOf(projectId, 3))).toEqual([0, 0, 1, 2, 0, 0]);
  for (const shards of [2, 3, 64]) {
    const { rows } = await database.pool.query<{ shard: number }>(
      `select ${shardOfColumn('id', shards)} as shard from unnest($1::text[]) with ordinality as p (id, n) order by n`,
      [projects],
    );
    expect(rows.map(({ shard }) => shard)).toEqual(projects.map((projectId) => shardOf(projectId, shards)));
  }
});

test('a stuck shard delays no write of a project in another shard', async () => {
  const group = talliesGroup('main', 1, 3);
  startProjecting(group);
  const readModels = await startReading(group);
  await caughtUp();
  const live = await liveOf(database.pool, 'main');
  const holder = await database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from readmodel.projection_shards where version_id = $1 and shard = $2 for update', [
      live?.id,
      shardOf(projectOf(1), 3),
    ]);
    const stuck = await rename(log, 1, 'stuck');
    for (const n of [2, 3, 5]) {
      const position = await rename(log, n, 'not delayed');
      expect(await readModels.reached(position, 1_000, [projectOf(n)], { isOwnWrite: true })).toBe('reached');
      expect(await readModels.reached(position, 1_000, [projectOf(n)])).toBe('reached');
    }
    expect(await readModels.reached(stuck, 100, [projectOf(1)])).toBe('behind');
    expect(await readModels.reached(stuck, 100)).toBe('behind');
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await readModels.reached(await log.store.head())).toBe('reached');
});

test('a version with a lost checkpoint counts as lost, although a shard before it has stopped for another reason', async () => {
  startProjecting(talliesGroup('main', 1, 3));
  await caughtUp();
  await database.pool.query(
    `update readmodel.projection_shards set stopped_error = 'stopped', is_retried = shard = 0 where shard < 2`,
  );
  expect(await liveOf(database.pool, 'main')).toMatchObject({ stopped: { isRetried: false } });
});

test('a process that does not follow the log learns within a second that all shards have passed a position', async () => {
  const group = talliesGroup('main', 1, 3);
  startProjecting(group);
  const readModels = await startReading(group, { isBlind: true });
  for (const n of [1, 2, 3]) {
    expect(await readModels.reached(await rename(log, n, 'passed'), 1_000)).toBe('reached');
  }
});

test('events of other shards move the checkpoint of a shard without a transaction for each', async () => {
  const group = talliesGroup('main', 1, 3);
  startProjecting(group);
  await caughtUp();
  const { rows } = await database.pool.query<{ now: string }>('select clock_timestamp() as now');
  const moves = new Set<string>();
  const look = async () => {
    const found = await database.pool.query<{ position: string }>(
      'select position from readmodel.projection_shards where shard <> $1 and updated_at > $2',
      [shardOf(projectOf(1), 3), rows[0]?.now],
    );
    for (const { position } of found.rows) moves.add(position);
  };
  for (let n = 0; n < 60; n += 1) {
    await rename(log, 1, `name ${n}`);
    await look();
  }
  await caughtUp();
  expect(moves.size).toBeLessThan(20);
});

test('the number of shards changes under writes, and no acknowledged write is missing', async () => {
  let end = startProjecting(talliesGroup('main', 1, 1));
  const readModels = await startReading(talliesGroup('main'));
  const missing: string[] = [];
  const endWrites = runUntilEnded(async (signal) => {
    for (let n = 10; !signal.aborted; n += 1) {
      const position = await create(log, n);
      const state = await readModels.reached(position, 2_000, [projectOf(n)], { isOwnWrite: true });
      const found = `select from ${readModels.schema('main')}.notes where position = $1`;
      const { rowCount } = await database.pool.query(found, [position]);
      if (state === 'behind' || rowCount !== 1) missing.push(`${position} ${state}`);
    }
  });
  for (const shards of [3, 2]) {
    const endNext = startProjecting(talliesGroup('main', 1, shards));
    await expect.poll(async () => (await liveOf(database.pool, 'main'))?.shards.length).toBe(shards);
    await end();
    end = endNext;
  }
  await endWrites();
  expect(missing).toEqual([]);
  const verified = await compareWithRebuild(database.pool, log.store, talliesGroup('main'));
  expect(isConsistent(verified)).toBe(true);
  expect((await listProjectionVersions(database.pool, 'main')).map(({ shards }) => shards.length)).toEqual([3, 2]);
});
