import type { Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compareWithLive } from './operations/compare.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { createProjectionVersion, listProjectionVersions, type ProjectionVersion } from './projection-versions.ts';
import { CheckpointMovedError, projectBatch } from './projector.ts';
import { dropProjectionVersion, promoteProjectionVersion } from './promotion.ts';
import { runProjector } from './run-projector.ts';
import { createGatedPool, type GatedPool } from './testing/gated-pool.ts';
import { projectionsTemplate } from './testing/projections-template.ts';
import { runUntilEnded } from './testing/run-until-ended.ts';
import { buildVersion, createTalliesLog, liveOf, recordPeople, rename, talliesGroup } from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';

let database: TestDatabase;
let pool: Pool;
let gated: GatedPool;
let log: TestLog;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  ({ pool } = database);
  gated = createGatedPool(pool);
  await recordPeople(log);
});
afterEach(async () => {
  gated.open();
  for (const close of closers.splice(0)) await close();
  await database.close();
});

const group = talliesGroup('main');

function startProjecting(projected: ProjectionGroup = group, on: Pool = pool): () => Promise<void> {
  const end = runUntilEnded((signal) => runProjector({ store: log.store, pool: on, group: projected, logger }, signal));
  closers.push(end);
  return end;
}

const built = (version = 1) => buildVersion(pool, log, talliesGroup('main', version));

const states = async () => (await listProjectionVersions(pool, 'main')).map(({ id, status }) => [id, status]);
const live = async () => (await liveOf(pool, 'main'))?.id;
const holding = () => expect.poll(gated.isHolding, { interval: 5 }).toBe(true);

/** Waits until a connection waits for a lock. */
const blocked = () =>
  expect
    .poll(async () => {
      const { rows } = await pool.query<{ count: string }>(
        "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return Number(rows[0]?.count);
    })
    .toBe(1);

async function atHead(version = 1): Promise<void> {
  const liveAt = async () => {
    const found = await liveOf(pool, 'main');
    return [found?.version, found?.position];
  };
  await expect.poll(liveAt, { interval: 10 }).toEqual([version, await log.store.head()]);
}

test('two projection versions that are created at the same time are separate', async () => {
  gated.close(/create schema/);
  const first = createProjectionVersion(gated.pool, group);
  await holding();
  const second = createProjectionVersion(pool, group);
  await blocked();
  gated.open();
  const made = [await first, await second];
  expect(await states()).toEqual(made.map(({ id }) => [id, 'building']));
  expect(made.map(({ schema }) => schema)).toEqual(made.map(({ id }) => `main_g${id}`));
});

test('two projectors that start together create one projection version and keep the previous one for a rollback', async () => {
  const before = await built(1);
  await promoteProjectionVersion(pool, before.id);
  const next = talliesGroup('main', 2);
  // It has seen that there is no projection version of version 2, and has not begun to make one.
  gated.close(/^begin/);
  startProjecting(next, gated.pool);
  await holding();
  startProjecting(next);
  await atHead(2);
  gated.open();
  await rename(log, 1, 'by both');
  await atHead(2);
  const made = await live();
  expect(await states()).toEqual([
    [before.id, 'previous'],
    [made, 'live'],
  ]);
});

test('a projection version that is promoted while it is dropped is either dropped or live', async () => {
  const [old, first, second] = [await built(), await built(), await built()];
  await promoteProjectionVersion(pool, old.id);
  gated.close(/insert into readmodel.orphaned_schemas/);
  const dropping = dropProjectionVersion(gated.pool, first.id);
  await holding();
  const promoting = promoteProjectionVersion(pool, first.id);
  const rejected = expect(promoting).rejects.toThrow('does not exist');
  await blocked();
  gated.open();
  await dropping;
  await rejected;
  expect(await live()).toBe(old.id);

  gated.close(/^commit/);
  const promotingFirst = promoteProjectionVersion(gated.pool, second.id);
  await holding();
  const droppingLate = expect(dropProjectionVersion(pool, second.id)).rejects.toThrow('is live');
  await blocked();
  gated.open();
  expect(await promotingFirst).toBe(true);
  await droppingLate;
  expect(await live()).toBe(second.id);
});

test('a batch for a projection version that is being dropped is applied before the drop or not at all, without blaming an event', async () => {
  const batch = async (target: ProjectionVersion) =>
    projectBatch(pool, group, target, target.position, await log.store.readAll(target.position, 10));
  const [first, second] = [await createProjectionVersion(pool, group), await createProjectionVersion(pool, group)];
  gated.close(/insert into \S+people/);
  const writing = projectBatch(gated.pool, group, first, 0n, await log.store.readAll(0n, 10));
  await holding();
  const dropping = dropProjectionVersion(pool, first.id);
  await blocked();
  gated.open();
  expect(await writing).toMatchObject({ position: 10n });
  await dropping;

  gated.close(/delete from readmodel.projection_versions/);
  const droppingFirst = dropProjectionVersion(gated.pool, second.id);
  await holding();
  const late = expect(batch(second)).rejects.toThrow(CheckpointMovedError);
  await blocked();
  gated.open();
  await droppingFirst;
  await late;
  expect(await states()).toEqual([]);
});

test('two concurrent promotions run one after the other: one version is live, one is previous', async () => {
  const [old, first, second] = [await built(), await built(), await built()];
  await promoteProjectionVersion(pool, old.id);
  gated.close(/^commit/);
  const promoting = promoteProjectionVersion(gated.pool, first.id);
  await holding();
  const other = promoteProjectionVersion(pool, second.id);
  await blocked();
  gated.open();
  expect(await Promise.all([promoting, other])).toEqual([true, true]);
  expect(await states()).toEqual([
    [first.id, 'previous'],
    [second.id, 'live'],
  ]);
});

test('a projector that promotes late does not undo an operator’s rollback', async () => {
  const before = await built(1);
  await promoteProjectionVersion(pool, before.id);
  const next = talliesGroup('main', 2);
  await createProjectionVersion(pool, next);
  gated.close(/lock table/);
  startProjecting(next, gated.pool);
  await holding();
  startProjecting(next);
  await atHead(2);
  const made = await live();
  expect(await promoteProjectionVersion(pool, before.id)).toBe(true);
  gated.open();
  await rename(log, 1, 'after the rollback');
  await expect
    .poll(async () => (await listProjectionVersions(pool, 'main')).map(({ position }) => position))
    .toContain(await log.store.head());
  await expect.poll(gated.isHolding).toBe(false);
  expect(await states()).toEqual([
    [before.id, 'live'],
    [made, 'previous'],
  ]);
});

test('a long read of a dropped projection version delays neither promotions nor batches', async () => {
  startProjecting();
  await atHead();
  const [old] = await listProjectionVersions(pool, 'main');
  const reader = await pool.connect();
  await reader.query('begin');
  await reader.query(`select from ${old?.schema}.people`);
  // The second switch has no place any more for the first projection version.
  for (const next of [await built(), await built()]) {
    await expect.poll(() => promoteProjectionVersion(pool, next.id)).toBe(true);
    await rename(log, 1, 'meanwhile');
    await atHead();
  }
  expect((await listProjectionVersions(pool, 'main')).map(({ id }) => id)).not.toContain(old?.id);
  const schemas = async () => (await pool.query('select from pg_namespace where nspname = $1', [old?.schema])).rowCount;
  expect(await schemas()).toBe(1);
  await reader.query('commit');
  reader.release();
  await expect.poll(schemas).toBe(0);
});

test('a process that freezes during a promotion delays batches and promotions for seconds, not forever', async () => {
  startProjecting();
  await atHead();
  const [first, second] = [await built(), await built()];
  gated.close(/^commit/);
  const frozen = expect(promoteProjectionVersion(gated.pool, first.id)).rejects.toThrow();
  await holding();
  const other = promoteProjectionVersion(pool, second.id);
  await rename(log, 1, 'meanwhile');
  await atHead();
  expect(gated.isHolding()).toBe(true);
  gated.open();
  await frozen;
  if (!(await other)) expect(await promoteProjectionVersion(pool, second.id)).toBe(true);
  expect(await live()).toBe(second.id);
});

test('a comparison that holds the live version and a promotion do not deadlock', async () => {
  const end = startProjecting();
  await atHead();
  await end();
  const standby = await built();
  await rename(log, 1, 'what the standby lacks');
  const [now] = await listProjectionVersions(pool, 'main');
  if (now) await projectBatch(pool, group, now, now.position, await log.store.readAll(now.position, 10));
  let letRead = () => {};
  const reading = new Promise<void>((resolve) => {
    letRead = resolve;
  });
  const store: TestLog['store'] = {
    ...log.store,
    readAll: async (...from) => {
      await reading;
      return log.store.readAll(...from);
    },
  };
  const comparing = compareWithLive({ pool, store, group }, standby.id, { looks: 0 }).catch((error: unknown) => error);
  const third = await built();
  // A comparison holds checkpoints only, so a promotion need not wait for it.
  expect(await promoteProjectionVersion(pool, third.id)).toBe(true);
  letRead();
  await comparing;
  expect(await live()).toBe(third.id);
});
