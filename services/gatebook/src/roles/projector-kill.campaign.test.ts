import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { catalog } from '@gatebook/domain/catalog';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { type EventStore, NO_STREAM } from '@gatebook/eventlog/port';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { createRandom } from '@gatebook/eventlog/testing/races';
import { listProjectionVersions, migrateProjections } from '@gatebook/projections/projection-versions';
import { silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { compareWithRebuild, isConsistent } from '@gatebook/projections/verify';
import { createReadModels, type ReadModels } from '@gatebook/projections/wait';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { histories } from '@gatebook/readmodel/testing/histories';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { createPool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { countFault } from '@gatebook/runtime/testing/injected-faults';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

const seed = 20260118;
const kills = 16;
const masterKey = randomBytes(32);

let database: TestDatabase;
let store: EventStore;
let readModels: ReadModels;
let close: () => Promise<void>;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  database = await testDatabase();
  const { pool, url } = database;
  await migrateEventLog(pool);
  await migrateProjections(pool);
  const listener = createListener(url, { name: 'test', logger });
  const keyring = await createKeyring({ masterKey, keyStore: createPostgresKeyStore(pool, listener) });
  const log = await createPostgresEventStore({
    pool,
    listener,
    codec: createCodec({ catalog, keyring, blobs: createPostgresBlobStore(pool), newEventId }),
  });
  store = log;
  readModels = await createReadModels({ pool, listener, groups: [mainGroup], logger });
  close = async () => {
    await readModels.close();
    await log.close();
    await keyring.close();
    await listener.close();
    await database.close();
  };
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await close();
});

async function startProcess(): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('../testing/projector-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, database.url, masterKey.toString('hex')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  countFault();
  child.kill('SIGKILL');
  await exited;
  children.delete(child);
}

/** Plausible histories one after the other, as appends. */
function appends() {
  const steps = fc.sample(histories, { seed, numRuns: 60 }).flat();
  const revisions = new Map<string, bigint>();
  return steps.map(({ stream, events }) => {
    const expected = revisions.get(stream) ?? NO_STREAM;
    revisions.set(stream, expected + BigInt(events.length));
    return { stream, expected, events };
  });
}

test(`kill -9 of projecting processes under writes neither loses nor duplicates rows, and reached positions are readable (seed ${seed})`, async () => {
  const random = createRandom(seed);
  const writes = appends();
  const share = Math.ceil(writes.length / kills);
  const running = [await startProcess(), await startProcess()];
  let reached = 0;
  for (let turn = 0; turn < kills; turn += 1) {
    // Somebody leads again, and is in the middle of it when it is killed.
    expect(await readModels.reached(await store.head(), pollDeadlineMs)).toBe('reached');
    const killAt = Math.floor(random() * share);
    for (const [index, write] of writes.slice(turn * share, (turn + 1) * share).entries()) {
      const { position } = await store.append([write], testMetadata);
      if (index === killAt) {
        const [killed] = running.splice(random() < 0.7 ? 0 : 1, 1);
        if (killed) await kill(killed);
      }
      if (index % 10 === 0 && (await readModels.reached(position, 50)) === 'reached') {
        reached += 1;
        await expectVisible(position);
      }
    }
    running.push(await startProcess());
  }
  expect(reached).toBeGreaterThan(0);
  const head = await store.head();
  expect(await readModels.reached(head, pollDeadlineMs)).toBe('reached');
  await expectVisible(head);
  expect(isConsistent(await compareWithRebuild(database.pool, store, mainGroup))).toBe(true);
});

/** To a connection that has had no part in any of it. */
async function expectVisible(position: bigint): Promise<void> {
  const fresh = createPool(database.url, { max: 1, name: 'fresh' });
  const live = (await listProjectionVersions(fresh, 'main')).find(({ status }) => status === 'live');
  await fresh.end();
  expect(live?.position).toBeGreaterThanOrEqual(position);
}
