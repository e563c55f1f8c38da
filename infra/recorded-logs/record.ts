import { createRequire } from 'node:module';
import { catalog } from '@gatebook/domain/catalog';
import type { NewMetadata } from '@gatebook/domain/event';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createMemoryEventStore, createMemoryLog } from '@gatebook/eventlog/memory/store';
import { createRecord } from '@gatebook/projections/testing/test-log';
import { everyTable } from '@gatebook/readmodel/testing/every-table';
import { newEventId } from '@gatebook/runtime/ids';
import { computeProjectionCode, writeProjectionCode } from './projection-code.ts';
import { findReleasedVersions, listReleases, writeRecordedLog } from './recorded-log.ts';
import { sampleEvents } from './samples.ts';
import { currentSchemas, readSchemas, type SchemaHashes, schemaFaults, writeSchemas } from './schemas.ts';
import { computeStateVersions, writeStateVersions } from './state-versions.ts';

const help = `npm run record:schemas   adds the schemas of new event types and versions to schemas.json
npm run record:states    records the code of evolve, so that stored states of other code are ignored
npm run record:projections records the code of projections, so that tables of other code are not copied
npm run record:log       records the log of this release, once, when it is released
`;
const masterKey = Buffer.alloc(32, 'recorded log');

/** Deleted in `everyTable`. */
const erasedUser = '00000000-0000-4000-8002-000000000002';
const sampleMetadata: NewMetadata = {
  projectId: 'internal',
  actor: { kind: 'user', id: erasedUser, impersonator: { kind: 'owner', id: 'owner' } },
  requestId: 'request',
  correlationId: 'correlation',
  causationId: 'cause',
};

const [command] = process.argv.slice(2);
if (command === 'schemas') await recordSchemas();
else if (command === 'states') await writeStateVersions(await computeStateVersions());
else if (command === 'projections') await writeProjectionCode(await computeProjectionCode());
else if (command === 'log') await recordLog();
else process.stdout.write(help);

/** Versions in the recorded log of a release keep their schema. */
async function recordSchemas(): Promise<void> {
  const recorded = await readSchemas().catch((): SchemaHashes => ({}));
  const current = currentSchemas();
  const faults = schemaFaults(recorded, current, await findReleasedVersions()).filter(({ isFinal }) => isFinal);
  if (faults.length > 0) return fail(faults.map(({ text }) => text).join('\n'));
  for (const [type, versions] of Object.entries(current)) recorded[type] = { ...recorded[type], ...versions };
  await writeSchemas(recorded);
}

/** A history that fills every table, and samples of every event type. */
async function recordLog(): Promise<void> {
  const { version: release } = createRequire(import.meta.url)('../../package.json') as { version: string };
  if ((await listReleases()).includes(release)) {
    return fail(`The log of ${release} is recorded and must not change: first raise the version in package.json.`);
  }
  const keyStore = createMemoryKeyStore();
  const keyring = await createKeyring({ masterKey, keyStore });
  const log = createMemoryLog();
  const store = createMemoryEventStore(
    createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId }),
    log,
  );
  const append = createRecord(store);
  for (const { stream, events } of everyTable) await append(stream, ...events);
  const appendSample = createRecord(store, sampleMetadata);
  for (const event of sampleEvents()) await appendSample(`sample-${event.type}`, event);
  await keyring.erase(erasedUser);
  const events = await store.readAll(0n, log.records.length);
  const texts = log.records.flatMap(({ data }) => Object.values(data).filter((value) => typeof value === 'string'));
  const stored = await keyStore.loadSubjects(texts);
  const keys = new Map([...stored].map(([id, { wrapped }]) => [id, wrapped]));
  const plain = new Map(events.map(({ position, data }) => [position, data]));
  await writeRecordedLog({ release, masterKey, keys, records: log.records, plain });
}

function fail(text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
}
