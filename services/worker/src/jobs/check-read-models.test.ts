import type { UserEvent } from '@gatebook/domain/user/events';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { newestConsistencyChecks } from '@gatebook/projections/consistency/consistency-checks';
import { repairRows } from '@gatebook/projections/consistency/repair';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { type ReadSide, startReadSide } from '@gatebook/readmodel/testing/read-side';
import { createLogger } from '@gatebook/runtime/logger';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkReadModels } from './check-read-models.ts';

let side: ReadSide;
const lines: Record<string, unknown>[] = [];
const logger = createLogger({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
beforeAll(async () => {
  side = await startReadSide();
  for (let n = 0; n < 30; n += 1) await side.readModels.reached(await side.record(`user-${idOf(n)}`, ...signUp(n)));
});
afterAll(() => side.close());

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
function signUp(n: number): UserEvent[] {
  const person = { displayName: `User ${n}`, profileImageUrl: null, isAnonymous: false, method: 'password' as const };
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  return [
    {
      type: 'UserCreated',
      data: { ...unknownSignIn, userId: idOf(n), projectId: 'internal', ...person, ...metadata, at },
    },
  ];
}
const runCheck = (rows = 100) =>
  checkReadModels(
    { pool: side.database.pool, store: side.store, group: mainGroup, now: () => at, logger },
    { rows, pages: 1, events: rows },
  );

test('a check of rows that match the log is recorded', async () => {
  const [check, ...more] = await runCheck();
  expect(more).toEqual([]);
  expect(check).toMatchObject({ kind: 'sample', checkedAt: at, differing: 0, differences: [], checksumsOff: [] });
  expect(check?.rowsChecked).toBe(30);
  expect(await newestConsistencyChecks(side.database.pool)).toEqual([{ ...check, tookMs: expect.any(Number) }]);
  expect(lines).toEqual([]);
});

test('damaged rows are logged and recorded, even if the sample misses them, and the table is verified only once', async () => {
  const { pool } = side.database;
  const users = `${side.readModels.schema('main')}.users`;
  await pool.query(`update ${users} set display_name = 'Mallory' where id = $1`, [idOf(7)]);
  const difference = { table: 'users', key: { id: idOf(7) }, kind: 'changed', columns: ['display_name'] };
  // An empty sample: only the checksum shows the damage.
  const [blind, verified] = await runCheck(0);
  expect(blind).toMatchObject({ kind: 'sample', rowsChecked: 0, differing: 0, checksumsOff: ['users'] });
  expect(verified).toMatchObject({ kind: 'verify', differing: 1, differences: [difference], checksumsOff: ['users'] });
  const [seen, ...more] = await runCheck();
  expect(more).toEqual([]);
  expect(seen).toMatchObject({ kind: 'sample', differing: 1, differences: [difference], checksumsOff: ['users'] });
  const recorded = await newestConsistencyChecks(pool);
  expect(recorded.map(({ kind, differences }) => [kind, differences])).toEqual([
    ['sample', [difference]],
    ['verify', [difference]],
  ]);

  const logged = lines.splice(0).map(({ level, msg, rows, kind }) => ({ level, msg, rows, kind }));
  const damagedRows = [`users ${idOf(7)}: display_name differs`];
  const msg = 'read models differ from the log';
  expect(logged).toEqual([
    { level: 50, msg, rows: [], kind: 'sample' },
    { level: 50, msg, rows: damagedRows, kind: 'verify' },
    { level: 50, msg, rows: damagedRows, kind: 'sample' },
  ]);
  expect(JSON.stringify(logged)).not.toContain('Mallory');

  await repairRows(pool, side.store, mainGroup, 'users', [{ id: idOf(7) }]);
  expect(await runCheck()).toMatchObject([{ differing: 0, checksumsOff: [] }]);
  expect(lines).toEqual([]);
});

test('a check that is canceled, also while it verifies a table, leaves nothing', async () => {
  const { pool } = side.database;
  const users = `${side.readModels.schema('main')}.users`;
  await pool.query(`update ${users} set display_name = 'Mallory' where id = $1`, [idOf(7)]);
  const before = (await newestConsistencyChecks(pool)).find(({ kind }) => kind === 'verify');
  const parts = { pool, store: side.store, group: mainGroup, logger };
  const leaving = new AbortController();
  const now = () => {
    leaving.abort();
    return at;
  };
  expect(await checkReadModels({ ...parts, now: () => at, signal: AbortSignal.abort() })).toEqual([]);
  expect(await checkReadModels({ ...parts, now, signal: leaving.signal })).toEqual([]);
  expect((await newestConsistencyChecks(pool)).find(({ kind }) => kind === 'verify')).toEqual(before);
  expect(await listProjectionVersions(pool, 'verify_main')).toEqual([]);
  await repairRows(pool, side.store, mainGroup, 'users', [{ id: idOf(7) }]);
  lines.splice(0);
});

test('a projection version of another code version is not checked', async () => {
  const parts = {
    pool: side.database.pool,
    store: side.store,
    group: { ...mainGroup, version: 99 },
    now: () => at,
    logger,
  };
  expect(await checkReadModels(parts)).toEqual([]);
  expect(lines).toEqual([]);
});
