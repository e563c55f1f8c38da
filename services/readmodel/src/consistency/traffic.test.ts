import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { repairRows, repairTable } from '@gatebook/projections/consistency/repair';
import { checkSample } from '@gatebook/projections/consistency/sample';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { mainGroup } from '../projection-groups.ts';
import { everyTable } from '../testing/every-table.ts';
import { type ReadSide, startReadSide } from '../testing/read-side.ts';

let side: ReadSide;
beforeAll(async () => {
  side = await startReadSide();
  for (const { stream, events } of everyTable) await side.record(stream, ...events);
});
afterAll(() => side.close());

const idOf = (n: number) => `00000000-0000-4000-9000-${String(n).padStart(12, '0')}`;

function signUp(n: number): UserEvent[] {
  const userId = idOf(n);
  const person = { displayName: `User ${n}`, profileImageUrl: null, isAnonymous: false, method: 'password' as const };
  const metadata = { clientMetadata: { n }, clientReadOnlyMetadata: null, serverMetadata: null };
  const flags = { isPrimary: true, isVerified: true, usedForAuth: true };
  const value = `u${n}@example.com`;
  return [
    { type: 'UserCreated', data: { ...unknownSignIn, userId, projectId: 'internal', ...person, ...metadata, at } },
    { type: 'ContactChannelAdded', data: { userId, channelId: userId, channelType: 'email', value, ...flags, at } },
  ];
}

let nextUser = 0;

/** Signs up and renames users until it is stopped, and erases every second one. */
function startTraffic() {
  let isOver = false;
  let users = 0;
  const run = async () => {
    while (!isOver) {
      const n = nextUser++;
      const [userId, stream] = [idOf(n), `user-${idOf(n)}`];
      await side.record(stream, ...signUp(n));
      await side.record(stream, { type: 'UserRenamed', data: { userId, displayName: `Anna ${n}`, at } });
      users += 1;
      if (n % 2 === 1) {
        await side.record(stream, {
          type: 'UserDeleted',
          data: { wasScheduled: false, addressRefs: [], userId, projectId: 'internal', at },
        });
        await side.keyring.erase(userId);
      }
      // As fast as the read models follow, so that the log does not run away from them.
      await side.readModels.reached(await side.store.head());
    }
  };
  const ended = Promise.all([run(), run(), run(), run()]);
  return {
    users: () => users,
    stop: async () => {
      isOver = true;
      await ended;
    },
  };
}

let traffic: ReturnType<typeof startTraffic>;
beforeEach(() => {
  traffic = startTraffic();
});
afterEach(() => traffic.stop());

test('checks of intact read models report nothing during writes and erasures', async () => {
  const { pool } = side.database;
  const size = { rows: 50, pages: 4, events: 50 };
  for (let round = 0; round < 5; round += 1) {
    const before = traffic.users();
    const [verified, sample] = await Promise.all([
      compareWithRebuild(pool, side.store, mainGroup),
      checkSample(pool, side.store, mainGroup, size),
    ]);
    expect(verified.tables.filter(({ differing, checksum }) => differing > 0 || checksum !== 'matches')).toEqual([]);
    expect(sample).toMatchObject({ differences: [], unconfirmed: 0, checksumsOff: [] });
    expect(traffic.users()).toBeGreaterThan(before);
  }
});

test('damage is found and repaired during writes, even in a row that changes', async () => {
  const { pool } = side.database;
  const users = `${side.readModels.schema('main')}.users`;
  const [own, gone] = ['00000000-0000-4000-8002-000000000001', '00000000-0000-4000-8002-000000000003'];
  await side.readModels.reached(await side.store.head());
  await pool.query(`update ${users} set is_anonymous = true where id = $1`, [own]);
  await pool.query(`delete from ${users} where id = $1`, [gone]);
  const { tables } = await compareWithRebuild(pool, side.store, mainGroup);
  expect(tables.flatMap(({ differences }) => differences)).toEqual([
    { table: 'users', key: { id: own }, kind: 'changed', columns: ['is_anonymous'] },
    { table: 'users', key: { id: gone }, kind: 'missing', columns: [] },
  ]);
  const renames = (async () => {
    for (let n = 0; n < 10; n += 1) {
      const renamed: UserEvent = { type: 'UserRenamed', data: { userId: own, displayName: `Own ${n}`, at } };
      await side.readModels.reached(await side.record(`user-${own}`, renamed));
    }
  })();
  const repair = await repairRows(pool, side.store, mainGroup, 'users', [{ id: own }, { id: gone }]);
  expect(repair.repaired).toHaveLength(2);
  await renames;
  const after = await compareWithRebuild(pool, side.store, mainGroup);
  expect(after.tables.flatMap(({ differences }) => differences)).toEqual([]);
  const { rows } = await pool.query(`select display_name from ${users} where id = $1`, [own]);
  expect(rows).toEqual([{ display_name: 'Own 9' }]);
  // Renames of the damaged row may have left it in the sum.
  await repairTable(pool, side.store, mainGroup, 'users');
  expect(isConsistent(await compareWithRebuild(pool, side.store, mainGroup))).toBe(true);
});
