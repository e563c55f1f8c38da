import { randomBytes } from 'node:crypto';
import type { EventDefinitions } from '@gatebook/domain/event';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createMemoryEventStore, createMemoryLog } from '@gatebook/eventlog/memory/store';
import type { EventStore } from '@gatebook/eventlog/port';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAcknowledgedWrites } from '../acknowledged-writes.ts';
import { insert } from '../changes.ts';
import { createLogTail } from '../log-tail.ts';
import { compareWithLive } from '../operations/compare.ts';
import { askForRebuild, findStandby, promoteStandby } from '../operations/rebuilds.ts';
import type { ProjectionGroup } from '../projection-group.ts';
import { listProjectionVersions } from '../projection-versions.ts';
import { runProjector } from '../run-projector.ts';
import { projectionsTemplate } from '../testing/projections-template.ts';
import { runUntilEnded } from '../testing/run-until-ended.ts';
import { cleanPass, create, personId, rename, rowsIn, talliesEvents, talliesGroup } from '../testing/tallies.ts';
import { createRecord, silentLogger as logger, type TestLog, testMetadata } from '../testing/test-log.ts';
import { compareWithRebuild, isConsistent } from '../verify.ts';
import { createReadModels, type ReadModels } from '../wait.ts';
import { listQuarantined, requestRelease } from './quarantine.ts';

let database: TestDatabase;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await testDatabase(projectionsTemplate);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await database.close();
});

/** A log that several versions of the code read. Keys in `lost` do not exist. */
async function createSharedLog() {
  const [log, keyStore, lost] = [createMemoryLog(), createMemoryKeyStore(), new Set<string>()];
  const blobs = createMemoryBlobStore();
  const keyring = await createKeyring({ masterKey: randomBytes(32), keyStore });
  const losing = {
    ...keyring,
    open: async (ids: readonly string[]) => new Map([...(await keyring.open(ids))].filter(([id]) => !lost.has(id))),
  };
  const open = (catalog: EventDefinitions): EventStore =>
    createMemoryEventStore(createCodec({ catalog, keyring: losing, blobs, newEventId }), log);
  const store = open(talliesEvents);
  const of = (projectId: string): Pick<TestLog, 'record' | 'store'> => ({
    store,
    record: createRecord(store, { ...testMetadata, projectId }),
  });
  return { store, open, lost, records: log.records, shop: of('shop'), bank: of('bank') };
}
type SharedLog = Awaited<ReturnType<typeof createSharedLog>>;

function startProjecting(store: EventStore, group: ProjectionGroup): () => Promise<void> {
  const end = runUntilEnded((signal) => runProjector({ store, pool: database.pool, group, logger }, signal));
  closers.push(end);
  return end;
}

async function startReading(group: ProjectionGroup): Promise<ReadModels> {
  const listener = createListener(database.url, { name: 'reading', logger });
  const readModels = await createReadModels({ pool: database.pool, listener, groups: [group], logger });
  closers.push(async () => {
    await readModels.close();
    await listener.close();
  });
  await readModels.ready();
  return readModels;
}

/** Throws for this name, or writes a row that the database rejects, or one of an unknown column. */
function faultyGroup(kind: 'throws' | 'rejected row' | 'unknown column', version = 1): ProjectionGroup {
  const group = talliesGroup('main', version);
  return {
    ...group,
    changesFor: (event) => {
      const changes = group.changesFor(event);
      if (event.data.name !== 'fault') return changes;
      if (kind === 'throws') throw new Error('this name is too much');
      const row = {
        project_id: '',
        kind: kind === 'unknown column' ? 'x' : null,
        ...(kind === 'unknown column' && { size: 1 }),
      };
      return [...changes, insert('totals', row)];
    },
  };
}

const live = async () => (await listProjectionVersions(database.pool, 'main')).find(({ status }) => status === 'live');

async function expectWholeLog({ store }: Pick<SharedLog, 'store'>, version = 1): Promise<void> {
  const group = talliesGroup('main', version);
  await expect.poll(async () => (await listQuarantined(database.pool)).length).toBe(0);
  await expect.poll(async () => (await live())?.position).toBe(await store.head());
  expect(await rowsIn(database.pool, group, (await live())?.schema ?? '')).toEqual(
    await cleanPass(database.pool, { store }, group),
  );
}

/** Writes in both projects before, at and after the faulty event. @returns its position */
async function recordAround({ shop, bank }: SharedLog, record: () => Promise<bigint>): Promise<bigint> {
  await create(bank, 1);
  await create(shop, 2, 'Ann');
  const faulty = await record();
  await rename(bank, 1, 'after the fault');
  await rename(shop, 2, 'waits');
  return faulty;
}

describe('an event that cannot be applied quarantines its project', () => {
  test.each(['throws', 'rejected row', 'unknown column'] as const)('when the projection fails: %s', async (kind) => {
    const log = await createSharedLog();
    const group = faultyGroup(kind);
    const stop = startProjecting(log.store, group);
    const reading = await startReading(group);
    const faulty = await recordAround(log, () => rename(log.shop, 2, 'fault'));
    await expect
      .poll(() => listQuarantined(database.pool))
      .toMatchObject([
        {
          subscriber: (await live())?.schema,
          projectId: 'shop',
          position: faulty,
          error: expect.stringContaining('event PersonRenamed at position 3 cannot be applied'),
        },
      ]);
    expect(await reading.reached(await rename(log.bank, 1, 'goes on'), undefined, ['bank'])).toBe('reached');
    const { rows } = await database.pool.query(`select name from ${reading.schema('main')}.people order by id`);
    expect(rows).toEqual([{ name: 'goes on' }, { name: 'Ann' }]);
    await stop();
    startProjecting(log.store, talliesGroup('main'));
    await expectWholeLog(log);
  });

  test('when the row is too large for an index', async () => {
    const log = await createSharedLog();
    startProjecting(log.store, talliesGroup('main'));
    await expect.poll(live).toBeDefined();
    // Random, so that it does not compress to what an index takes (2704 bytes).
    const large = randomBytes(6000).toString('hex');
    await create(log.shop, 2, 'Ann');
    const faulty = await rename(log.shop, 2, large);
    await expect
      .poll(async () => (await listQuarantined(database.pool)).map(({ position }) => position))
      .toEqual([faulty]);
    await expect.poll(async () => (await live())?.position).toBe(await log.store.head());
  });
});

test('a privilege that the database role lacks delays all projects and quarantines none', async () => {
  const log = await createSharedLog();
  const group = talliesGroup('main');
  startProjecting(log.store, group);
  const reading = await startReading(group);
  await reading.reached(await create(log.shop, 2, 'Ann'));
  const schema = reading.schema('main');
  await database.pool.query(`create function ${schema}.deny() returns trigger language plpgsql as
      $$ begin raise exception 'permission denied for table people' using errcode = 'insufficient_privilege'; end $$;
    create trigger deny before insert or update on ${schema}.people execute function ${schema}.deny()`);
  expect(await reading.reached(await rename(log.shop, 2, 'Bea'), 500)).toBe('behind');
  expect(await listQuarantined(database.pool)).toEqual([]);
  await database.pool.query(`drop trigger deny on ${schema}.people`);
  await expectWholeLog(log);
});

describe('an event that cannot be read quarantines its project', () => {
  test('when it breaks its schema', async () => {
    const log = await createSharedLog();
    startProjecting(log.store, talliesGroup('main'));
    const faulty = await recordAround(log, () => rename(log.shop, 2, 'broken'));
    const record = log.records[Number(faulty) - 1];
    if (!record) throw new Error('the event is missing');
    await expectWholeLog(log);
    // The rebuild meets the broken event.
    const { data } = record;
    record.data = { name: 7 };
    await askForRebuild(database.pool, talliesGroup('main'));
    await expect.poll(async () => (await findStandby(database.pool, 'main')).isReady).toBe(true);
    const standby = await findStandby(database.pool, 'main');
    expect(await listQuarantined(database.pool)).toMatchObject([
      {
        subscriber: standby.schema,
        projectId: 'shop',
        position: faulty,
        error: expect.stringContaining('breaks its schema'),
      },
    ]);
    const comparison = await compareWithLive(
      { ...database, store: log.store, group: talliesGroup('main') },
      standby.id,
    );
    expect(comparison.quarantined).toEqual({ live: [], other: ['shop'] });
    expect(comparison.isEqual).toBe(false);
    await promoteStandby(database.pool, talliesGroup('main'), standby.id);
    record.data = data;
    await requestRelease(database.pool, { projectId: 'shop' });
    await expectWholeLog(log);
  });

  test('when its key is lost, until the key is back', async () => {
    const log = await createSharedLog();
    const group = talliesGroup('main');
    startProjecting(log.store, group);
    const reading = await startReading(group);
    await create(log.bank, 1);
    await reading.reached(await create(log.shop, 2, 'Ann'));
    log.lost.add(personId(2));
    const faulty = await rename(log.shop, 2, 'lost');
    expect(await reading.reached(await rename(log.bank, 1, 'goes on'), undefined, ['bank'])).toBe('reached');
    expect(await listQuarantined(database.pool)).toMatchObject([
      { projectId: 'shop', position: faulty, error: expect.stringContaining('is lost') },
    ]);
    log.lost.clear();
    await requestRelease(database.pool, { projectId: 'shop' });
    await expectWholeLog(log);
    // The same projector follows the project again.
    expect(await reading.reached(await rename(log.shop, 2, 'after the release'), undefined, ['shop'])).toBe('reached');
    await expectWholeLog(log);
  });

  test('when it is newer than the code, until newer code starts', async () => {
    const log = await createSharedLog();
    const newer = log.open({ ...talliesEvents, PersonMoved: { version: 1, data: z.object({}) } });
    const stop = startProjecting(log.store, talliesGroup('main'));
    const move = createRecord(newer, { ...testMetadata, projectId: 'shop' });
    await recordAround(log, () => move('person-x', { type: 'PersonMoved', data: {} }));
    await expect
      .poll(async () => (await listQuarantined(database.pool)).map(({ projectId }) => projectId))
      .toEqual(['shop']);
    await stop();
    startProjecting(newer, talliesGroup('main'));
    await expectWholeLog({ store: newer });
  });
});

describe('waiting for read models', () => {
  test('does not wait for a quarantined project, and waits for the others as usual', async () => {
    const log = await createSharedLog();
    const group = faultyGroup('throws');
    startProjecting(log.store, group);
    const reading = await startReading(group);
    const tail = createLogTail({ store: log.store, logger });
    const writes = createAcknowledgedWrites({
      tail,
      readModels: reading,
      scopesOf: ({ metadata }) => new Set([metadata.projectId]),
    });
    const stop = new AbortController();
    const following = tail.follow(stop.signal);
    await create(log.shop, 2);
    await rename(log.shop, 2, 'fault');
    await expect.poll(() => reading.isQuarantined(['shop'])).toBe(true);
    const start = performance.now();
    for (let n = 0; n < 5; n += 1) {
      expect(await reading.reached(await rename(log.shop, 2, `n${n}`), undefined, ['shop'])).toBe('behind');
      expect(await writes.readable(['shop'])).toBe('behind');
      expect(await reading.reached(await rename(log.bank, 1, `n${n}`), undefined, ['bank'])).toBe('reached');
      expect((await writes.readable(['bank'])) ?? 'reached').toBe('reached');
    }
    expect(performance.now() - start).toBeLessThan(2_000);
    stop.abort();
    await following;
  });

  test('never calls a write reached that its quarantined project lacks', async () => {
    const log = await createSharedLog();
    const group = faultyGroup('throws');
    startProjecting(log.store, group);
    const reading = await startReading(group);
    for (let n = 1; n <= 20; n += 1) {
      const project = createRecord(log.store, { ...testMetadata, projectId: `p${n}` });
      const recorder = { ...log.shop, record: project };
      await create(recorder, n);
      expect(await reading.reached(await rename(recorder, n, 'fault'), undefined, [`p${n}`])).toBe('behind');
    }
  });
});

test('a release applies any number of waiting events, also while new ones arrive', async () => {
  const log = await createSharedLog();
  const stop = startProjecting(log.store, faultyGroup('throws'));
  await create(log.bank, 1);
  await create(log.shop, 2);
  await rename(log.shop, 2, 'fault');
  for (let n = 0; n < 1_100; n += 1) await rename(log.shop, 2, `waits ${n}`);
  await expect.poll(async () => (await live())?.position).toBe(await log.store.head());
  await stop();
  startProjecting(log.store, talliesGroup('main'));
  for (let n = 0; n < 50; n += 1) {
    await rename(n % 2 ? log.bank : log.shop, n % 2 ? 1 : 2, `arrives ${n}`);
    await new Promise((resume) => setTimeout(resume, 5));
  }
  await expectWholeLog(log);
});

test('a verification finds no difference because of a quarantined project', async () => {
  const log = await createSharedLog();
  const group = faultyGroup('throws');
  startProjecting(log.store, group);
  await recordAround(log, () => rename(log.shop, 2, 'fault'));
  await expect.poll(async () => (await listQuarantined(database.pool)).length).toBe(1);
  const repaired = talliesGroup('main');
  await expect.poll(async () => (await live())?.position).toBe(await log.store.head());
  expect(isConsistent(await compareWithRebuild(database.pool, log.store, repaired))).toBe(true);
});
