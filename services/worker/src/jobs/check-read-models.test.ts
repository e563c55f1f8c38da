import type { UserEvent } from '@gatebook/domain/user/events';
import { newestConsistencyChecks } from '@gatebook/projections/consistency/consistency-checks';
import { repairRows } from '@gatebook/projections/consistency/repair';
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
  return [{ type: 'UserCreated', data: { userId: idOf(n), projectId: 'internal', ...person, ...metadata, at } }];
}
const runCheck = (rows = 100) =>
  checkReadModels(
    { pool: side.database.pool, store: side.store, set: mainGroup, now: () => at, logger },
    { rows, pages: 1, events: rows },
  );

test('sound rows are proven, and that is kept', async () => {
  const [check, ...more] = await runCheck();
  expect(more).toEqual([]);
  expect(check).toMatchObject({ kind: 'sample', checkedAt: at, differing: 0, differences: [], checksumsOff: [] });
  // A row of `users` and one of `user_history` for each.
  expect(check?.rowsChecked).toBe(60);
  expect(await newestConsistencyChecks(side.database.pool)).toEqual([{ ...check, tookMs: expect.any(Number) }]);
  expect(lines).toEqual([]);
});

test('damage is named in the log and kept, also where the sample misses it, but verified once only', async () => {
  const { pool } = side.database;
  const users = `${side.readModels.schema('main')}.users`;
  await pool.query(`update ${users} set display_name = 'Mallory' where id = $1`, [idOf(7)]);
  const difference = { table: 'users', key: { id: idOf(7) }, kind: 'changed', columns: ['display_name'] };
  // Nothing is drawn: it is the checksum that tells.
  const [blind, verified] = await runCheck(0);
  expect(blind).toMatchObject({ kind: 'sample', rowsChecked: 0, differing: 0, checksumsOff: ['users'] });
  expect(verified).toMatchObject({ kind: 'verify', differing: 1, differences: [difference], checksumsOff: ['users'] });
  const [seen, ...more] = await runCheck();
  expect(more).toEqual([]);
  expect(seen).toMatchObject({ kind: 'sample', differing: 1, differences: [difference], checksumsOff: ['users'] });
  const kept = await newestConsistencyChecks(pool);
  expect(kept.map(({ kind, differences }) => [kind, differences])).toEqual([
    ['sample', [difference]],
    ['verify', [difference]],
  ]);

  const told = lines.splice(0).map(({ level, msg, rows, kind }) => ({ level, msg, rows, kind }));
  const named = [`users ${idOf(7)}: display_name differs`];
  const msg = 'read models are not what the log says';
  expect(told).toEqual([
    { level: 50, msg, rows: [], kind: 'sample' },
    { level: 50, msg, rows: named, kind: 'verify' },
    { level: 50, msg, rows: named, kind: 'sample' },
  ]);
  expect(JSON.stringify(told)).not.toContain('Mallory');

  await repairRows(pool, side.store, mainGroup, 'users', [{ id: idOf(7) }]);
  expect(await runCheck()).toMatchObject([{ differing: 0, checksumsOff: [] }]);
  expect(lines).toEqual([]);
});

test('of a projection version that other code has made nothing is said', async () => {
  const parts = {
    pool: side.database.pool,
    store: side.store,
    set: { ...mainGroup, version: 99 },
    now: () => at,
    logger,
  };
  expect(await checkReadModels(parts)).toEqual([]);
  expect(lines).toEqual([]);
});
