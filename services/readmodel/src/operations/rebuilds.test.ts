import { pause } from '@gatebook/runtime/pause';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { announcedMs, createGeneration, type Generation, listGenerations } from '../generations.ts';
import { runProjector } from '../run-projector.ts';
import { mainSet } from '../sets.ts';
import { silentLogger as logger, type ReadSide, startReadSide } from '../testing/read-side.ts';
import { compareWithLive } from './compare.ts';
import { askForRebuild, discard, findGeneration, findHeld, switchBack, switchTo } from './rebuilds.ts';

let side: ReadSide;
beforeEach(async () => {
  side = await startReadSide([mainSet]);
});
afterEach(() => side.close());

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const signUp = (n: number) => {
  const facts = { displayName: `user ${n}`, profileImageUrl: null, isAnonymous: false, method: 'password' as const };
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const data = { userId: idOf(n), projectId: 'internal', ...facts, ...metadata, at };
  return side.record(`user-${idOf(n)}`, { type: 'UserCreated', data });
};
const rename = (n: number, displayName: string) =>
  side.record(`user-${idOf(n)}`, { type: 'UserRenamed', data: { userId: idOf(n), displayName, at } });

const generations = () => listGenerations(side.pools.projector, 'main');
const states = async () => (await generations()).map(({ status, isHeld, isReady }) => [status, isHeld, isReady]);
async function namesIn({ schema }: Pick<Generation, 'schema'>): Promise<(string | null)[]> {
  const { rows } = await side.pools.projector.query<{ display_name: string | null }>(
    `select display_name from ${schema}.users order by id`,
  );
  return rows.map(({ display_name }) => display_name);
}

async function untilReady(): Promise<Generation> {
  const held = async () => findHeld(side.pools.projector, 'main');
  await expect.poll(async () => (await held()).isReady, { timeout: 10_000 }).toBe(true);
  return held();
}

describe('a rebuild that was asked for', () => {
  test('is built, kept at the head, and read once it is switched to; the one before is kept at the head to switch back to', async () => {
    const pool = side.pools.projector;
    for (let n = 1; n <= 20; n += 1) await signUp(n);
    const asked = await askForRebuild(pool, mainSet);
    expect(asked.isNew).toBe(true);
    expect(await askForRebuild(pool, mainSet)).toMatchObject({ generation: { id: asked.generation.id }, isNew: false });
    const held = await untilReady();
    expect(await states()).toEqual([
      ['live', false, true],
      ['building', true, true],
    ]);
    const first = side.readModels.schema('main');

    await side.readModels.reached(await rename(1, 'renamed while it waits'));
    await expect.poll(async () => (await namesIn(held))[0]).toBe('renamed while it waits');
    expect(side.readModels.schema('main')).toBe(first);

    await switchTo(pool, mainSet, held.id);
    await expect.poll(() => side.readModels.schema('main')).toBe(held.schema);
    expect(await states()).toEqual([
      ['previous', false, true],
      ['live', false, true],
    ]);
    expect(await side.readModels.reached(await rename(2, 'renamed after the switch'))).toBe('reached');
    expect((await namesIn(held))[1]).toBe('renamed after the switch');

    expect(await switchBack(pool, mainSet)).toBe(first);
    await expect.poll(() => side.readModels.schema('main')).toBe(first);
    expect(await namesIn({ schema: first })).toEqual(await namesIn(held));
    expect(await side.readModels.reached(await rename(3, 'renamed after going back'))).toBe('reached');
    expect((await namesIn({ schema: first }))[2]).toBe('renamed after going back');
  });

  test('while a switch goes on, an answer waits for both', async () => {
    const pool = side.pools.projector;
    await signUp(1);
    await askForRebuild(pool, mainSet);
    const held = await untilReady();
    const schemas = new Set<string>();
    let isOver = false;
    const start = performance.now();
    const switching = switchTo(pool, mainSet, held.id).finally(() => {
      isOver = true;
    });
    for (let n = 0, checked = 0; !isOver || checked < 5; n += 1) {
      const hasHeard = performance.now() - start > 2 * announcedMs;
      const position = await rename(1, `name ${n}`);
      const other = (await generations()).find(({ schema }) => schema !== side.readModels.schema('main'));
      expect(await side.readModels.reached(position)).toBe('reached');
      schemas.add(side.readModels.schema('main'));
      if (!hasHeard || !other) continue;
      // Another process may still read the other one.
      expect(other.isSwitching).toBe(true);
      expect(await namesIn(other)).toEqual([`name ${n}`]);
      checked += 1;
    }
    await switching;
    expect(schemas.size).toBeGreaterThanOrEqual(1);
  });

  test('the third generation takes the place of the one that was kept', async () => {
    const pool = side.pools.projector;
    for (let round = 0; round < 2; round += 1) {
      await askForRebuild(pool, mainSet);
      await switchTo(pool, mainSet, (await untilReady()).id);
    }
    expect(await states()).toEqual([
      ['previous', false, true],
      ['live', false, true],
    ]);
  });

  test('of a version that is no more is dropped by the projectors of the next', async () => {
    const pool = side.pools.projector;
    await askForRebuild(pool, mainSet);
    const held = await untilReady();
    const stop = new AbortController();
    const next = { ...mainSet, version: mainSet.version + 1 };
    const projecting = runProjector({ store: side.store, pool, set: next, logger }, stop.signal);
    const versions = async () => (await generations()).map(({ version, status }) => `${version} ${status}`);
    await expect
      .poll(versions, { timeout: 10_000 })
      .toEqual([`${mainSet.version} previous`, `${mainSet.version + 1} live`]);
    await expect(findGeneration(pool, held.schema)).rejects.toThrow(`There is no generation ${held.schema}.`);
    await expect(switchBack(pool, next)).rejects.toMatchObject({ because: 'other-version' });
    await expect(askForRebuild(pool, mainSet)).rejects.toMatchObject({ because: 'other-version' });
    stop.abort();
    await projecting;
  });

  test('can be discarded, what is read can not', async () => {
    const pool = side.pools.projector;
    const { generation } = await askForRebuild(pool, mainSet);
    await untilReady();
    await discard(pool, generation);
    expect(await states()).toEqual([['live', false, true]]);
    const { rows } = await pool.query('select from pg_namespace where nspname = $1', [generation.schema]);
    expect(rows).toHaveLength(0);
    const [live] = await generations();
    if (live) await expect(discard(pool, live)).rejects.toMatchObject({ because: 'in-use' });
  });
});

describe('what can not be switched to', () => {
  test('nothing that is not there', async () => {
    const pool = side.pools.projector;
    await expect(switchTo(pool, mainSet, 99)).rejects.toMatchObject({ because: 'unknown' });
    await expect(switchBack(pool, mainSet)).rejects.toMatchObject({ because: 'unknown' });
    await expect(findHeld(pool, 'main')).rejects.toMatchObject({ because: 'unknown' });
  });

  test('what is being built, what has stopped, what stays behind', async () => {
    const pool = side.pools.projector;
    // Of a set that nobody projects.
    const set = { ...mainSet, name: 'idle' };
    await expect(askForRebuild(pool, set)).rejects.toMatchObject({ because: 'nothing-live' });
    const live = await createGeneration(pool, set);
    await pool.query(`update readmodel.generations set status = 'live', ready_at = now(), position = 5 where id = $1`, [
      live.id,
    ]);
    const { generation } = await askForRebuild(pool, set);
    await expect(switchTo(pool, set, generation.id)).rejects.toMatchObject({ because: 'not-ready' });
    await pool.query('update readmodel.generations set ready_at = now() where id = $1', [generation.id]);
    await expect(switchTo(pool, set, generation.id, 0)).rejects.toMatchObject({ because: 'behind' });
    await pool.query(`update readmodel.generations set stopped_error = 'no' where id = $1`, [generation.id]);
    await expect(switchTo(pool, set, generation.id)).rejects.toMatchObject({ because: 'stopped' });
    expect((await listGenerations(pool, 'idle')).map(({ status }) => status)).toEqual(['live', 'building']);
  });
});

describe('comparing with the live generation', () => {
  const compare = async (looks?: number) => {
    const { id } = await findHeld(side.pools.projector, 'main');
    const parts = { pool: side.pools.projector, store: side.store, set: mainSet };
    return compareWithLive(parts, id, looks === undefined ? {} : { looks });
  };

  test('finds them equal, and names each row that was damaged', async () => {
    const pool = side.pools.projector;
    for (let n = 1; n <= 15; n += 1) await signUp(n);
    await askForRebuild(pool, mainSet);
    const { schema } = await untilReady();
    const head = await side.store.head();
    await side.readModels.reached(head);
    expect(await compare()).toMatchObject({ other: schema, position: head, isEqual: true });

    await pool.query(`update ${schema}.users set display_name = 'someone else' where id = $1`, [idOf(3)]);
    await pool.query(`delete from ${schema}.users where id = $1`, [idOf(7)]);
    await pool.query(
      `create temp table stranger as select * from ${schema}.users where id = '${idOf(1)}';
       update stranger set id = '${idOf(99)}';
       insert into ${schema}.users select * from stranger; drop table stranger`,
    );
    const { isEqual, tables } = await compare();
    expect(isEqual).toBe(false);
    expect(tables.find(({ table }) => table === 'users')).toEqual({
      ...{ table: 'users', rowsLive: 15, rowsOther: 15, onlyLive: 1, onlyOther: 1, changed: 1 },
      first: [
        { key: { id: idOf(3) }, how: 'changed', columns: ['display_name'] },
        { key: { id: idOf(7) }, how: 'only-live', columns: [] },
        { key: { id: idOf(99) }, how: 'only-other', columns: [] },
      ],
    });
    const others = tables.filter(({ table }) => table !== 'users');
    expect(others.every(({ onlyLive, onlyOther, changed }) => onlyLive + onlyOther + changed === 0)).toBe(true);
  });

  test.each([
    ['by waiting for both to be level', undefined],
    ['by holding the live one for a moment', 0],
  ])(
    'is exact while the log grows, %s',
    async (_, looks) => {
      const pool = side.pools.projector;
      for (let n = 1; n <= 10; n += 1) await signUp(n);
      await askForRebuild(pool, mainSet);
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
    },
    30_000,
  );

  test('needs two that are whole', async () => {
    const pool = side.pools.projector;
    const parts = { pool, store: side.store, set: mainSet };
    const [live] = await generations();
    await expect(compareWithLive(parts, live?.id ?? 0)).rejects.toMatchObject({ because: 'in-use' });
    await expect(compareWithLive(parts, 99)).rejects.toMatchObject({ because: 'unknown' });
  });
});
