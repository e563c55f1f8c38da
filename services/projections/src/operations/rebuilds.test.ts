import { pause } from '@gatebook/runtime/pause';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  announcedMs,
  createProjectionVersion,
  listProjectionVersions,
  type ProjectionVersion,
} from '../projection-versions.ts';
import { runProjector } from '../run-projector.ts';
import { type ProjectedLog, startProjectedLog } from '../testing/projected-log.ts';
import { create, createTalliesLog, personId, rename as renamePerson, talliesGroup } from '../testing/tallies.ts';
import { silentLogger as logger } from '../testing/test-log.ts';
import { compareWithLive } from './compare.ts';
import { askForRebuild, discard, findProjectionVersion, findStandby, promoteStandby, rollBack } from './rebuilds.ts';
import { answerRequests } from './requested.ts';

const mainGroup = talliesGroup('main');

let side: ProjectedLog;
beforeEach(async () => {
  side = await startProjectedLog({ openLog: createTalliesLog, groups: [mainGroup] });
});
afterEach(() => side.close());

const signUp = (n: number) => create(side, n);
const rename = (n: number, name: string) => renamePerson(side, n, name);

const projectionVersions = () => listProjectionVersions(side.pools.projector, 'main');
const states = async () =>
  (await projectionVersions()).map(({ status, isStandby, isReady }) => [status, isStandby, isReady]);
async function namesIn({ schema }: Pick<ProjectionVersion, 'schema'>): Promise<(string | null)[]> {
  const { rows } = await side.pools.projector.query<{ name: string | null }>(
    `select name from ${schema}.people order by id`,
  );
  return rows.map(({ name }) => name);
}

async function untilReady(): Promise<ProjectionVersion> {
  const currentStandby = async () => findStandby(side.pools.projector, 'main');
  await expect.poll(async () => (await currentStandby()).isReady).toBe(true);
  return currentStandby();
}

test('requests of processes that were killed are deleted and not performed', async () => {
  const { api, projector } = side.pools;
  const add = `insert into readmodel.operations (id, group_name, kind, asked_at, seen_at, answer)
    values (gen_random_uuid(), 'main', 'rebuild', clock_timestamp() - interval '1 hour',
      clock_timestamp() - $1::interval, $2)`;
  await side.database.pool.query(add, [null, null]);
  await side.database.pool.query(add, ['11 minutes', '{}']);
  const before = await states();
  await answerRequests({ pool: projector, store: side.store, group: mainGroup, logger }, new AbortController().signal);
  expect((await api.query('select from readmodel.operations')).rowCount).toBe(0);
  expect(await states()).toEqual(before);
});

describe('a requested rebuild', () => {
  test('is built and kept at the head, read once promoted, and the former live version stays at the head for a rollback', async () => {
    const pool = side.pools.projector;
    for (let n = 1; n <= 20; n += 1) await signUp(n);
    const asked = await askForRebuild(pool, mainGroup);
    expect(asked.isNew).toBe(true);
    expect(await askForRebuild(pool, mainGroup)).toMatchObject({
      projectionVersion: { id: asked.projectionVersion.id },
      isNew: false,
    });
    const standby = await untilReady();
    expect(await states()).toEqual([
      ['live', false, true],
      ['building', true, true],
    ]);
    const first = side.readModels.schema('main');

    await side.readModels.reached(await rename(1, 'renamed while it waits'));
    await expect.poll(async () => (await namesIn(standby))[0]).toBe('renamed while it waits');
    expect(side.readModels.schema('main')).toBe(first);

    await promoteStandby(pool, mainGroup, standby.id);
    await expect.poll(() => side.readModels.schema('main')).toBe(standby.schema);
    expect(await states()).toEqual([
      ['previous', false, true],
      ['live', false, true],
    ]);
    expect(await side.readModels.reached(await rename(2, 'renamed after the promotion'))).toBe('reached');
    expect((await namesIn(standby))[1]).toBe('renamed after the promotion');

    expect(await rollBack(pool, mainGroup)).toBe(first);
    await expect.poll(() => side.readModels.schema('main')).toBe(first);
    expect(await namesIn({ schema: first })).toEqual(await namesIn(standby));
    expect(await side.readModels.reached(await rename(3, 'renamed after going back'))).toBe('reached');
    expect((await namesIn({ schema: first }))[2]).toBe('renamed after going back');
  });

  test('during a promotion, a response waits for both projection versions', async () => {
    const pool = side.pools.projector;
    await signUp(1);
    await askForRebuild(pool, mainGroup);
    const standby = await untilReady();
    const schemas = new Set<string>();
    let isOver = false;
    const start = performance.now();
    const promoting = promoteStandby(pool, mainGroup, standby.id).finally(() => {
      isOver = true;
    });
    for (let n = 0, checked = 0; !isOver || checked < 5; n += 1) {
      const hasHeard = performance.now() - start > 2 * announcedMs;
      const position = await rename(1, `name ${n}`);
      const other = (await projectionVersions()).find(({ schema }) => schema !== side.readModels.schema('main'));
      expect(await side.readModels.reached(position)).toBe('reached');
      schemas.add(side.readModels.schema('main'));
      if (!hasHeard || !other) continue;
      // Another process may still read the other version.
      expect(other.isPromoting).toBe(true);
      expect(await namesIn(other)).toEqual([`name ${n}`]);
      checked += 1;
    }
    await promoting;
    expect(schemas.size).toBeGreaterThanOrEqual(1);
  });

  test('the third projection version replaces the previous one', async () => {
    const pool = side.pools.projector;
    for (let round = 0; round < 2; round += 1) {
      await askForRebuild(pool, mainGroup);
      await promoteStandby(pool, mainGroup, (await untilReady()).id);
    }
    expect(await states()).toEqual([
      ['previous', false, true],
      ['live', false, true],
    ]);
  });

  test('is dropped by projectors of the next version if it has an old version', async () => {
    const pool = side.pools.projector;
    await askForRebuild(pool, mainGroup);
    const standby = await untilReady();
    const stop = new AbortController();
    const next = { ...mainGroup, version: mainGroup.version + 1 };
    const projecting = runProjector({ store: side.store, pool, group: next, logger }, stop.signal);
    const versions = async () => (await projectionVersions()).map(({ version, status }) => `${version} ${status}`);
    await expect.poll(versions).toEqual([`${mainGroup.version} previous`, `${mainGroup.version + 1} live`]);
    await expect(findProjectionVersion(pool, standby.schema)).rejects.toThrow(
      `Projection version ${standby.schema} does not exist.`,
    );
    await expect(rollBack(pool, next)).rejects.toMatchObject({ because: 'other-version' });
    await expect(askForRebuild(pool, mainGroup)).rejects.toMatchObject({ because: 'other-version' });
    stop.abort();
    await projecting;
  });

  test('can be discarded, unlike the live version', async () => {
    const pool = side.pools.projector;
    const { projectionVersion } = await askForRebuild(pool, mainGroup);
    await untilReady();
    await discard(pool, projectionVersion);
    expect(await states()).toEqual([['live', false, true]]);
    const { rows } = await pool.query('select from pg_namespace where nspname = $1', [projectionVersion.schema]);
    expect(rows).toHaveLength(0);
    const [live] = await projectionVersions();
    if (live) await expect(discard(pool, live)).rejects.toMatchObject({ because: 'in-use' });
  });
});

describe('a promotion is rejected', () => {
  test('of a projection version that does not exist', async () => {
    const pool = side.pools.projector;
    await expect(promoteStandby(pool, mainGroup, 99)).rejects.toMatchObject({ because: 'unknown' });
    await expect(rollBack(pool, mainGroup)).rejects.toMatchObject({ because: 'unknown' });
    await expect(findStandby(pool, 'main')).rejects.toMatchObject({ because: 'unknown' });
  });

  test('of a projection version that is being built, has stopped or does not catch up', async () => {
    const pool = side.pools.projector;
    // A rebuild of a group without a projector.
    const group = { ...mainGroup, name: 'idle' };
    await expect(askForRebuild(pool, group)).rejects.toMatchObject({ because: 'nothing-live' });
    const live = await createProjectionVersion(pool, group);
    await pool.query(
      `with moved as (update readmodel.projection_shards set position = 5, applied_position = 5 where version_id = $1)
       update readmodel.projection_versions set status = 'live', ready_at = now() where id = $1`,
      [live.id],
    );
    const { projectionVersion } = await askForRebuild(pool, group);
    await expect(promoteStandby(pool, group, projectionVersion.id)).rejects.toMatchObject({ because: 'not-ready' });
    await pool.query('update readmodel.projection_versions set ready_at = now() where id = $1', [projectionVersion.id]);
    await expect(promoteStandby(pool, group, projectionVersion.id, 0)).rejects.toMatchObject({ because: 'behind' });
    await pool.query(`update readmodel.projection_shards set stopped_error = 'no' where version_id = $1`, [
      projectionVersion.id,
    ]);
    await expect(promoteStandby(pool, group, projectionVersion.id)).rejects.toMatchObject({ because: 'stopped' });
    expect((await listProjectionVersions(pool, 'idle')).map(({ status }) => status)).toEqual(['live', 'building']);
  });
});

describe('comparing with the live projection version', () => {
  const compare = async (looks?: number) => {
    const { id } = await findStandby(side.pools.projector, 'main');
    const parts = { pool: side.pools.projector, store: side.store, group: mainGroup };
    return compareWithLive(parts, id, looks === undefined ? {} : { looks });
  };

  test('finds equal versions equal, and names each damaged row', async () => {
    const pool = side.pools.projector;
    for (let n = 1; n <= 15; n += 1) await signUp(n);
    await askForRebuild(pool, mainGroup);
    const { schema } = await untilReady();
    const head = await side.store.head();
    await side.readModels.reached(head);
    expect(await compare()).toMatchObject({ other: schema, position: head, isEqual: true });

    await pool.query(`update ${schema}.people set name = 'someone else' where id = $1`, [personId(3)]);
    await pool.query(`delete from ${schema}.people where id = $1`, [personId(7)]);
    await pool.query(
      `create temp table stranger as select * from ${schema}.people where id = '${personId(1)}';
       update stranger set id = '${personId(99)}';
       insert into ${schema}.people select * from stranger; drop table stranger`,
    );
    const { isEqual, tables } = await compare();
    expect(isEqual).toBe(false);
    expect(tables.find(({ table }) => table === 'people')).toEqual({
      table: 'people',
      rowsLive: 15,
      rowsOther: 15,
      onlyLive: 1,
      onlyOther: 1,
      changed: 1,
      first: [
        { key: { id: personId(3) }, how: 'changed', columns: ['name'] },
        { key: { id: personId(7) }, how: 'only-live', columns: [] },
        { key: { id: personId(99) }, how: 'only-other', columns: [] },
      ],
    });
    const others = tables.filter(({ table }) => table !== 'people');
    expect(others.every(({ onlyLive, onlyOther, changed }) => onlyLive + onlyOther + changed === 0)).toBe(true);
  });

  test.each([
    ['by waiting for both to be level', undefined],
    ['by holding the live one for a moment', 0],
  ])('is exact while the log grows, %s', async (_, looks) => {
    const pool = side.pools.projector;
    for (let n = 1; n <= 10; n += 1) await signUp(n);
    await askForRebuild(pool, mainGroup);
    await untilReady();
    let isOver = false;
    let answered = 0;
    const write = async () => {
      for (let n = 0; !isOver; n += 1) {
        const position = await rename(1 + (n % 10), `name ${n}`);
        if (n % 5 === 0) expect(await side.readModels.reached(position)).toBe('reached');
        answered += 1;
      }
    };
    const writing = write();
    const positions: bigint[] = [];
    for (let round = 0; round < 8; round += 1) {
      const { isEqual, position } = await compare(looks);
      expect(isEqual).toBe(true);
      positions.push(position);
      await pause(5);
    }
    isOver = true;
    await writing;
    expect(answered).toBeGreaterThan(20);
    expect(positions).toEqual(positions.toSorted((a, b) => Number(a - b)));
    expect(new Set(positions).size).toBeGreaterThan(1);
  });

  test('needs two complete projection versions', async () => {
    const pool = side.pools.projector;
    const parts = { pool, store: side.store, group: mainGroup };
    const [live] = await projectionVersions();
    await expect(compareWithLive(parts, live?.id ?? 0)).rejects.toMatchObject({ because: 'in-use' });
    await expect(compareWithLive(parts, 99)).rejects.toMatchObject({ because: 'unknown' });
  });
});
