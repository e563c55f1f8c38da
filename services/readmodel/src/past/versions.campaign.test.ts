import { catalog } from '@gatebook/domain/catalog';
import type { Table } from '@gatebook/projections/changes';
import { clearAll } from '@gatebook/projections/clear-tombstones';
import { startChecksums } from '@gatebook/projections/consistency/checksum';
import { checkChecksums } from '@gatebook/projections/consistency/live';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { createIndexes } from '@gatebook/projections/projection-tables';
import {
  createProjectionVersion,
  listProjectionVersions,
  migrateProjections,
  type ProjectionVersion,
} from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import { dropProjectionVersion } from '@gatebook/projections/promotion';
import { inSnapshot } from '@gatebook/projections/snapshot';
import { createTestLog, type TestLog, testMetadata } from '@gatebook/projections/testing/test-log';
import { sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mainGroup, pastGroup } from '../projection-groups.ts';
import { defineQuery, type ProjectQuery, restrictToProject } from '../read-db.ts';
import { histories } from '../testing/histories.ts';
import { createOlderLog } from '../testing/older-log.ts';
import { textAt } from './past-db.ts';
import { pastTables } from './tables.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

const runs = { numRuns: sized({ inTest: 4, inCampaign: 20 }), seed: 20261123 };
const batchSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
type History = Parameters<Parameters<typeof histories.map>[0]>[0];

const deletions = ['UserDeleted', 'TeamDeleted', 'ProjectDeleted'] as const;

/** Deciders let nothing happen to what is deleted, so no event brings personal data after the erasure. */
function endWithDeletion(history: History): History {
  const ended = new Set<unknown>();
  return history.filter(({ events }) => {
    const ids = events.flatMap(({ data }) =>
      ['userId', 'teamId', 'projectId'].map((field) => (data as Record<string, unknown>)[field]),
    );
    if (ids.some((id) => ended.has(id))) return false;
    for (const type of deletions) for (const id of deletedIn([{ stream: '', events }], type)) ended.add(id);
    return true;
  });
}
const possibleHistories = histories.map(endWithDeletion);

type Log = Pick<TestLog, 'store' | 'keyring' | 'record'>;

/** Two appends in a row are one action. `isOlder`: events are stored in their first versions. */
async function logOf(history: History, isOlder = false): Promise<Log> {
  let appends = 0;
  const metadataOf = () => {
    appends += 1;
    return { ...testMetadata, requestId: `request ${appends >> 1}` };
  };
  const log = isOlder ? await createOlderLog(metadataOf) : await createTestLog(catalog, 'memory', metadataOf);
  for (const { stream, events } of history) await log.record(stream, ...events);
  return log;
}

const deletedIn = (history: History, type: (typeof deletions)[number]) =>
  new Set(
    history.flatMap(({ events }) =>
      events.flatMap((event) => {
        if (event.type !== type) return [];
        if (event.type === 'UserDeleted') return [event.data.userId];
        if (event.type === 'TeamDeleted') return [event.data.teamId];
        return event.type === 'ProjectDeleted' ? [event.data.projectId] : [];
      }),
    ),
  );

async function withVersion<T>(group: ProjectionGroup, work: (version: ProjectionVersion) => Promise<T>): Promise<T> {
  const version = await createProjectionVersion(database.pool, group);
  try {
    await createIndexes(database.pool, version);
    return await work(version);
  } finally {
    await dropProjectionVersion(database.pool, version.id);
  }
}

async function project(log: Log, group: ProjectionGroup, version: ProjectionVersion, sizes: readonly number[]) {
  const head = await log.store.head();
  let { position } = version;
  for (let turn = 0; position < head; turn += 1) {
    const events = await log.store.readAll(position, sizes[turn % sizes.length] ?? 1);
    ({ position } = await projectBatch(database.pool, group, version, position, events));
  }
  await clearAll(database.pool, version);
}

/** Erased users have no channels in the past, and omitted columns are null. */
function comparable({ name }: Table, row: Record<string, unknown>, erased: ReadonlySet<unknown>): string {
  const masked = [
    ...(pastTables.get(name)?.omitted ?? []),
    ...(name === 'users' && erased.has(row.id) ? ['channels', 'is_email_verified', 'search_text'] : []),
  ];
  return JSON.stringify(
    Object.entries(row)
      .filter(([column]) => !masked.includes(column))
      .sort(),
  );
}

const parameters = { position: '$2::bigint', clock: 'now()' };
const statement = (table: Table) =>
  defineQuery({
    name: `test-all-${table.name}`,
    sql: (schema) => `select to_jsonb(t) as row from ${schema}.${table.name} t`,
  });
const statements = [...pastTables.values()].map(({ table }) => ({ table, query: statement(table) }));

type Rows = Record<string, string[]>;

/** `deleted`: projects whose rows are gone from all moments, also those that `internal` saw. */
type Shown = { projectId: string; erased: ReadonlySet<unknown>; deleted: ReadonlySet<unknown> };

/** Rows of a project in the tables that `textOf` makes a statement for. */
async function rowsOf(
  { projectId, erased, deleted }: Shown,
  textOf: (query: ProjectQuery) => string,
  values: readonly unknown[] = [],
): Promise<Rows> {
  const found: Rows = {};
  for (const { table, query } of statements) {
    const { rows } = await database.pool.query<{ row: Record<string, unknown> }>(textOf(query), [projectId, ...values]);
    const kept = rows.filter(({ row }) => !deleted.has(row.project_id));
    found[table.name] = kept.map(({ row }) => comparable(table, row, erased)).sort();
  }
  return found;
}

test.each([
  ['that the main tables had then', false],
  ['that the main tables had before the events were upcast', true],
])('the rows at the end of each action are those %s (#20 check 15)', async (_, isOlder) => {
  await fc.assert(
    fc.asyncProperty(possibleHistories, batchSizes, async (history, sizes) => {
      const [log, logOfPast] = [await logOf(history), await logOf(history, isOlder)];
      const erased = deletedIn(history, 'UserDeleted');
      const projects = history.flatMap(({ events }) =>
        events.flatMap((event) => (event.type === 'ProjectCreated' ? [event.data.projectId] : [])),
      );
      const deleted = deletedIn(history, 'ProjectDeleted');
      const kept = projects.filter((projectId) => !deleted.has(projectId));
      for (const id of [...erased, ...deletedIn(history, 'TeamDeleted')]) {
        await log.keyring.erase(id);
        await logOfPast.keyring.erase(id);
      }
      const events = await log.store.readAll(0n, 10_000);
      await withVersion(pastGroup, async (past) => {
        await project(logOfPast, pastGroup, past, sizes);
        await withVersion(mainGroup, async (main) => {
          let position = 0n;
          const actions = [...Map.groupBy(events, ({ metadata }) => metadata.requestId).values()];
          for (const action of actions) {
            ({ position } = await projectBatch(database.pool, mainGroup, main, position, action));
            const textOfPast = (query: ProjectQuery) => textAt(query, past.schema, parameters);
            const textOfMain = (query: ProjectQuery) => restrictToProject(query, main.schema);
            for (const projectId of kept) {
              const shown = { projectId, erased, deleted };
              expect(await rowsOf(shown, textOfPast, [position])).toEqual(await rowsOf(shown, textOfMain));
            }
          }
        });
      });
    }),
    runs,
  );
});

async function allRows({ schema, tables }: ProjectionVersion): Promise<Rows> {
  const found: Rows = {};
  for (const { name } of tables) {
    const { rows } = await database.pool.query<{ row: string }>(
      `select t::text as row from ${schema}.${name} t order by 1`,
    );
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}

test('any batch sizes give the same versions and checksums, and so does a rebuild after erasures', async () => {
  await fc.assert(
    fc.asyncProperty(possibleHistories, batchSizes, async (history, sizes) => {
      const log = await logOf(history);
      await withVersion(pastGroup, async (one) => {
        await startChecksums(database.pool, one);
        await project(log, pastGroup, one, sizes);
        const names = one.tables.map(({ name }) => name);
        const checks = await inSnapshot(database.pool, (snapshot) => checkChecksums(snapshot, one, names));
        expect(new Set(checks.map(({ state }) => state))).toEqual(new Set(['matches']));
        for (const type of ['UserDeleted', 'TeamDeleted'] as const) {
          for (const id of deletedIn(history, type)) await log.keyring.erase(id);
        }
        await withVersion(pastGroup, async (other) => {
          await project(log, pastGroup, other, [10_000]);
          expect(await allRows(other)).toEqual(await allRows(one));
        });
      });
      expect((await listProjectionVersions(database.pool, pastGroup.name)).length).toBe(0);
    }),
    runs,
  );
});
