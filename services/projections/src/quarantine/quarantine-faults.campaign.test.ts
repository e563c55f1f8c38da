import type { Recorded } from '@gatebook/domain/event';
import { createRandom } from '@gatebook/eventlog/testing/races';
import { sampleOf, sized } from '@gatebook/runtime/testing/campaign';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askForRebuild, findStandby, promoteStandby } from '../operations/rebuilds.ts';
import type { ProjectionGroup } from '../projection-group.ts';
import { listProjectionVersions, migrateProjections } from '../projection-versions.ts';
import type { Fault } from '../testing/faulty-pool.ts';
import { slowPolling, startFaultyProjector } from '../testing/faulty-projector.ts';
import {
  cleanPass,
  create,
  createTalliesLog,
  liveOf,
  projectOf,
  rename,
  rowsIn,
  talliesGroup,
  wrongChecksums,
} from '../testing/tallies.ts';
import { createRecord, type TestLog, testMetadata } from '../testing/test-log.ts';
import { listQuarantined, requestRelease } from './quarantine.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await migrateProjections(database.pool);
});
afterAll(() => database.close());

/** One or three, mixed with the other choices of a seed. */
const shardsFor = (seed: number) => (seed % 4 < 2 ? 3 : 1);

const people = 6;
const projects = 3;
const changes = 24;

/** A projection with a defect that code or data can lose: it rejects some events until it is repaired. */
function defectiveGroup(name: string, shards: number) {
  const state = { isRepaired: false };
  const group = talliesGroup(name, 1, shards);
  const changesFor = (event: Recorded) => {
    if (!state.isRepaired && event.data.name === 'fault') throw new Error('this name is too much');
    return group.changesFor(event);
  };
  return { group: { ...group, changesFor } satisfies ProjectionGroup, repaired: group, state };
}

const recordOf = (log: TestLog) => {
  const records = Array.from({ length: projects }, (_, nth) =>
    createRecord(log.store, { ...testMetadata, projectId: projectOf(nth) }),
  );
  return (n: number) => ({ record: records[n % projects] ?? log.record });
};

/**
 * Projects fail and are released in between, while a projector is killed, and the live version is replaced by a rebuilt
 * one. At the end the code is repaired and every project released.
 */
async function live(name: string, seed: number, fault: Fault | null) {
  const log = await createTalliesLog();
  const { pool } = database;
  const random = createRandom(seed);
  const { group, repaired, state } = defectiveGroup(name, shardsFor(seed));
  const of = recordOf(log);
  for (let n = 1; n <= people; n += 1) await create(of(n), n);
  const projector = startFaultyProjector({ databaseUrl: database.url, log, group }, fault);
  const { faulty, restartIfKilled } = projector;
  const schemas = async () => (await listProjectionVersions(pool, name)).map(({ schema }) => schema);
  try {
    for (let change = 0; change < changes; change += 1) {
      const n = 1 + Math.floor(random() * people);
      await rename(of(n), n, random() < 0.2 ? 'fault' : `name ${change}`);
      if (random() < 0.2) await requestRelease(pool, { subscribers: await schemas() });
      if (random() < 0.5) await new Promise((resume) => setTimeout(resume, random() * 40));
      await restartIfKilled();
    }
    const isLive = async () => {
      await restartIfKilled();
      return (await liveOf(pool, name))?.position;
    };
    await expect.poll(isLive, slowPolling).toBe(await log.store.head());
    if (seed % 2 === 0) {
      await askForRebuild(pool, group);
      const isStandbyReady = async () => {
        await restartIfKilled();
        return (await findStandby(pool, name)).isReady;
      };
      await expect.poll(isStandbyReady, slowPolling).toBe(true);
      await promoteStandby(pool, group, (await findStandby(pool, name)).id);
    }
    state.isRepaired = true;
    await requestRelease(pool, { subscribers: await schemas() });
    await rename(of(1), 1, 'after the release');
    const ofGroup = async () => {
      await restartIfKilled();
      const names = await schemas();
      return (await listQuarantined(pool)).filter(({ subscriber }) => names.includes(subscriber)).length;
    };
    await expect.poll(ofGroup, slowPolling).toBe(0);
    const clean = await cleanPass(pool, log, repaired);
    for (const version of await listProjectionVersions(pool, name)) {
      const position = async () => {
        await restartIfKilled();
        return (await listProjectionVersions(pool, name)).find(({ id }) => id === version.id)?.position;
      };
      await expect.poll(position, slowPolling).toBe(await log.store.head());
      expect(await rowsIn(pool, group, version.schema)).toEqual(clean);
      const wrong = async () => {
        await restartIfKilled();
        return wrongChecksums(pool, version);
      };
      await expect.poll(wrong, slowPolling).toEqual([]);
    }
  } finally {
    await projector.end();
  }
  return faulty.statements.length;
}

test('rows match the log after any failures and releases of projects', async () => {
  for (let seed = 1; seed <= sized({ inTest: 2, inCampaign: 20 }); seed += 1)
    await live(`released_${seed}`, seed, null);
});

test('rows match the log after a projector was killed before or after any statement of a quarantine or release', async () => {
  const statements = await live('whole', 4, null);
  const moments = ['before', 'after'] as const;
  const faults = Array.from({ length: statements }, (_, index) =>
    moments.map((moment): Fault => ({ at: index + 1, moment, kills: 'process' })),
  ).flat();
  // Not every one, because each takes seconds.
  const waiting = [...sampleOf(faults, 4, 60)];
  const work = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      await live(`killed_${fault.moment}_${fault.at}`, 4 + fault.at, fault);
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
}, 600_000);
