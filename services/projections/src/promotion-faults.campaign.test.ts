import { sampleOf } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askForRebuild, promoteStandby, rollBack } from './operations/rebuilds.ts';
import type { ProjectionGroup } from './projection-group.ts';
import { listProjectionVersions, migrateProjections, type ProjectionVersion } from './projection-versions.ts';
import { promoteProjectionVersion } from './promotion.ts';
import { runProjector } from './run-projector.ts';
import { createFaultyPool, type Fault } from './testing/faulty-pool.ts';
import { slowPolling } from './testing/faulty-projector.ts';
import {
  buildVersion,
  cleanPass,
  createTalliesLog,
  recordPeople,
  rename,
  rowsIn,
  talliesGroup,
  wrongChecksums,
} from './testing/tallies.ts';
import { silentLogger as logger, type TestLog } from './testing/test-log.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

const projectionVersionsOf = ({ name }: ProjectionGroup) => listProjectionVersions(database.pool, name);

/** Creates a live projection version at the head of the log. */
async function begin(group: ProjectionGroup): Promise<TestLog> {
  const { pool } = database;
  const log = await createTalliesLog();
  await recordPeople(log);
  const made = await buildVersion(pool, log, group);
  await promoteProjectionVersion(pool, made.id);
  return log;
}

function startProjecting(log: TestLog, group: ProjectionGroup, fault: Fault | null) {
  const faulty = createFaultyPool(database.url, fault);
  const stop = new AbortController();
  const isOver = AbortSignal.any([stop.signal, ...(fault?.kills === 'process' ? [faulty.struck] : [])]);
  const ended = runProjector({ store: log.store, pool: faulty.pool, group, logger }, isOver);
  return {
    faulty,
    ended,
    stop: async () => {
      stop.abort();
      await ended;
      await faulty.close();
    },
  };
}

/** Expects versions, states and positions, and the rows of one clean pass. */
async function expectInTheEnd(
  log: TestLog,
  group: ProjectionGroup,
  expected: readonly Pick<ProjectionVersion, 'version' | 'status'>[],
): Promise<void> {
  const position = await log.store.head();
  const states = async () =>
    (await projectionVersionsOf(group)).map(({ version, status, position: at, stopped }) => ({
      version,
      status,
      at,
      stopped,
    }));
  await expect
    .poll(states, slowPolling)
    .toEqual(expected.map(({ version, status }) => ({ version, status, at: position, stopped: null })));
  const clean = await cleanPass(database.pool, log, group);
  for (const projectionVersion of await projectionVersionsOf(group)) {
    const { schema, version } = projectionVersion;
    // A projector of another version updates checksums, but does not start them.
    if (version === group.version) {
      await expect.poll(() => wrongChecksums(database.pool, projectionVersion), slowPolling).toEqual([]);
    }
    const { notes, totals } = await rowsIn(database.pool, group, schema);
    expect({ notes, totals }).toEqual({ notes: clean.notes, totals: clean.totals });
  }
}

/** Runs eight at a time, because they mostly wait. */
async function atOnce(faults: readonly Fault[], work: (fault: Fault) => Promise<void>): Promise<void> {
  const waiting = [...faults];
  const next = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) await work(fault);
  };
  await Promise.all(Array.from({ length: 8 }, next));
}

const promoted = [
  { version: 1, status: 'previous' },
  { version: 2, status: 'live' },
] as const;

/** Runs a projector of version 2 beside a live version 1 until it has promoted its version. @returns its statements */
async function buildAndPromote(name: string, shards: number, fault: Fault | null): Promise<readonly string[]> {
  // The number of shards changes with the version.
  const [first, second] = [talliesGroup(name, 1, 4 - shards), talliesGroup(name, 2, shards)];
  const log = await begin(first);
  const running = startProjecting(log, second, fault);
  const next = running.ended.then(() => (running.faulty.struck.aborted ? startProjecting(log, second, null) : null));
  await expect
    .poll(async () => (await projectionVersionsOf(first)).find(({ status }) => status === 'live')?.version, slowPolling)
    .toBe(2);
  await rename(log, 1, 'in the end');
  await expectInTheEnd(log, second, promoted);
  await running.stop();
  await (await next)?.stop();
  return running.faulty.statements;
}

test.each([1, 3])(
  'a projector that is killed before any statement, or after any commit, of building the next version with %i shards leaves no trace once another projector replaces it',
  async (shards) => {
    const statements = await buildAndPromote(`whole_${shards}`, shards, null);
    // Other tests cover faults during the creation of the tables.
    const made = statements.indexOf('commit');
    const before = statements
      .map((_, index): Fault => ({ at: index + 1, moment: 'before', kills: 'process' }))
      .slice(made);
    const after = before.filter(({ at }) => statements[at - 1] === 'commit');
    expect(after.length).toBeGreaterThan(4);
    const faults = [...before, ...after.map((fault): Fault => ({ ...fault, moment: 'after' }))];
    await atOnce(
      sampleOf(faults, 4, 80),
      async (fault) => void (await buildAndPromote(`next${shards}_${fault.moment}_${fault.at}`, shards, fault)),
    );
  },
);

/** Promotes an operator's rebuild and rolls back, in a process that a fault strikes. @returns its statements */
async function promoteAndRollBack(name: string, shards: number, fault: Fault | null): Promise<readonly string[]> {
  const group = talliesGroup(name, 1, shards);
  const log = await begin(group);
  const running = startProjecting(log, group, null);
  const { projectionVersion } = await askForRebuild(database.pool, group);
  const isReady = async () =>
    (await projectionVersionsOf(group)).find(({ id }) => id === projectionVersion.id)?.isReady;
  await expect.poll(isReady, slowPolling).toBe(true);
  const operator = createFaultyPool(database.url, fault);
  const [first] = await projectionVersionsOf(group);
  const steps = [
    () => promoteStandby(operator.pool, group, projectionVersion.id),
    () => rollBack(operator.pool, group),
    // An operator who does not know the outcome repeats the promotion.
    () => promoteStandby(database.pool, group, projectionVersion.id),
    () => promoteStandby(database.pool, group, first?.id ?? 0),
  ];
  for (const step of steps) {
    await step().catch((error: unknown) => {
      if (!operator.struck.aborted) throw error;
    });
    const live = (await projectionVersionsOf(group)).filter(({ status }) => status === 'live');
    expect(live).toHaveLength(1);
    await rename(log, 1, 'meanwhile');
  }
  await expectInTheEnd(log, group, [
    { version: 1, status: 'live' },
    { version: 1, status: 'previous' },
  ]);
  await running.stop();
  await operator.close();
  return operator.statements;
}

test.each([1, 3])(
  'a promotion and a rollback with %i shards survive a kill before any statement or after any commit',
  async (shards) => {
    const statements = await promoteAndRollBack(`operated_${shards}`, shards, null);
    const before = statements.map((_, index): Fault => ({ at: index + 1, moment: 'before', kills: 'process' }));
    const after = before.filter(({ at }) => statements[at - 1] === 'commit');
    expect(after.length).toBeGreaterThan(3);
    const faults = [...before, ...after.map((fault): Fault => ({ ...fault, moment: 'after' }))];
    await atOnce(
      sampleOf(faults, 4, 80),
      async (fault) => void (await promoteAndRollBack(`by_hand${shards}_${fault.moment}_${fault.at}`, shards, fault)),
    );
  },
);
