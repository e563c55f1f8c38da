import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition } from '@gatebook/domain/event';
import { createCodec } from '@gatebook/eventlog/codec';
import type { KeyStore } from '@gatebook/eventlog/encryption/key-store';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryKeyStore } from '@gatebook/eventlog/encryption/memory-key-store';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createMemoryEventStore, createMemoryLog } from '@gatebook/eventlog/memory/store';
import { startProjectedLog } from '@gatebook/projections/testing/projected-log';
import { createRecord, type TestLog } from '@gatebook/projections/testing/test-log';
import { allGroups } from '@gatebook/readmodel/projection-groups';
import { newEventId } from '@gatebook/runtime/ids';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findReleasedVersions, listReleases, type RecordedLog, readRecordedLog } from './recorded-log.ts';
import { currentSchemas, hashOf, readSchemas, schemaFaults } from './schemas.ts';

const releases = await listReleases();

async function openRecordedLog({ masterKey, keys, records }: RecordedLog): Promise<TestLog> {
  const keyStore: KeyStore = createMemoryKeyStore();
  await keyStore.addSubjects(new Map([...keys].flatMap(([id, wrapped]) => (wrapped === null ? [] : [[id, wrapped]]))));
  for (const [id, wrapped] of keys) if (wrapped === null) await keyStore.eraseSubject(id);
  const keyring = await createKeyring({ masterKey, keyStore });
  const log = createMemoryLog();
  log.records.push(...records);
  const store = createMemoryEventStore(
    createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId }),
    log,
  );
  return { store, keyring, simulator: null, memory: log, record: createRecord(store), close: async () => undefined };
}

describe.each(releases)('the log of release %s', (release) => {
  test('has every event type of the release, and every event can be read', async () => {
    const recorded = await readRecordedLog(release);
    const { store } = await openRecordedLog(recorded);
    const events = await store.readAll(0n, recorded.records.length);
    expect(events).toHaveLength(recorded.records.length);
    for (const [index, { version, type }] of recorded.records.entries()) {
      const event = events[index];
      expect(event?.type).toBe(type);
      // An upcast may change more than it adds, so only unchanged versions are compared.
      if ((catalog as Record<string, EventDefinition>)[type]?.version !== version) continue;
      expect(event?.data, `${type} at ${index + 1}`).toEqual(recorded.plain.get(event?.position ?? 0n));
    }
  });

  test('has email templates without a language, which are the default versions', async () => {
    const recorded = await readRecordedLog(release);
    const { store } = await openRecordedLog(recorded);
    const events = await store.readAll(0n, recorded.records.length);
    const old = recorded.records.flatMap(({ type, version }, index) =>
      type.startsWith('EmailTemplate') && version === 1 ? (events[index] ?? []) : [],
    );
    for (const { position, data } of old) expect(data).toEqual({ ...recorded.plain.get(position), language: null });
    if (release === '0.1.0') expect(old).toHaveLength(6);
  });

  test('has encrypted fields of living and erased subjects', async () => {
    const { records, plain, keys } = await readRecordedLog(release);
    expect([...keys.values()].filter((wrapped) => wrapped === null)).toHaveLength(1);
    const encrypted = records.filter((record) => record.encrypted !== null);
    expect(encrypted.length).toBeGreaterThan(50);
    const revealed = encrypted.filter(({ position, type }) => {
      const fields: readonly string[] = (catalog as Record<string, EventDefinition>)[type]?.personal?.fields ?? [];
      return fields.some((field) => plain.get(position)?.[field] !== null);
    });
    expect(revealed.length).toBeGreaterThan(50);
    expect(revealed.length).toBeLessThan(encrypted.length);
  });

  test('builds the same rows as in the release', async () => {
    const recorded = await readRecordedLog(release);
    const log = await openRecordedLog(recorded);
    // An unreadable event fails here at once, and stops the projections below.
    const events = await log.store.readAll(0n, recorded.records.length);
    expect(events.map(({ data }) => data)).toHaveLength(recorded.records.length);
    const side = await startProjectedLog({
      openLog: async () => log,
      groups: allGroups,
    });
    try {
      const head = BigInt(recorded.records.length);
      await expect.poll(() => side.readModels.reached(head)).toBe('reached');
      const { rows: stopped } = await side.database.pool.query(
        `select v.group_name from readmodel.projection_versions v join readmodel.projection_shards s on s.version_id = v.id
         where s.stopped_error is not null or s.position <> $1`,
        [head],
      );
      expect(stopped).toEqual([]);
      // Rows of deleted projects and teams are removed later.
      const toClear = 'select from readmodel.tombstones where not is_cleared';
      await expect.poll(async () => (await side.database.pool.query(toClear)).rowCount).toBe(0);
      const found = [];
      for (const { name, tables } of allGroups) {
        const schema = side.readModels.schema(name);
        for (const { name: table } of tables) {
          const { rows } = await side.database.pool.query<{ count: number }>(
            `select count(*)::int as count from ${schema}.${table}`,
          );
          found.push(`${name}.${table}: ${rows[0]?.count} rows`);
        }
      }
      const { rows: users } = await side.database.pool.query(
        `select id, display_name from ${side.readModels.schema('main')}.users order by id`,
      );
      const answer = [...found, ...users.map((user) => JSON.stringify(user)), ''].join('\n');
      await expect(answer).toMatchFileSnapshot(`./logs/${release}.rows.txt`);
    } finally {
      await side.close();
    }
  });
});

describe('event schemas', () => {
  test('are the recorded ones', async () => {
    const faults = schemaFaults(await readSchemas(), currentSchemas(), await findReleasedVersions());
    expect(faults.map(({ text }) => text)).toEqual([]);
  });

  test('change only with a new version once a log has such events', () => {
    const before = { Noted: { 1: 'a', 2: 'b' } };
    const textsOf = (current: Record<string, Record<string, string>>, released: readonly string[]) =>
      schemaFaults(before, current, (_type, version) => released.includes(version)).map(({ text }) => text);
    expect(textsOf({ Noted: { 2: 'b' } }, ['1', '2'])).toEqual([]);
    expect(textsOf({ Noted: { 2: 'changed' } }, ['1', '2'])).toEqual([
      expect.stringContaining('raise the version, write an upcast'),
    ]);
    expect(textsOf({ Noted: { 2: 'changed' } }, ['1'])).toEqual([
      expect.stringMatching(/: run "npm run record:schemas"/),
    ]);
    expect(textsOf({ Noted: { 3: 'c' } }, ['1', '2'])).toEqual([
      expect.stringContaining('version 3 is new or changed'),
    ]);
    expect(textsOf({}, ['1'])).toEqual([expect.stringContaining('must stay in the catalog')]);
  });

  test('have a hash that depends on fields, types, defaults and encryption, and not on the order of fields', () => {
    const hash = (data: z.ZodObject, fields: readonly string[] = []) =>
      hashOf({ version: 1, data, ...(fields.length > 0 && { personal: { subject: 'id', fields } }) });
    const id = z.uuid();
    const name = z.string().nullable();
    const schemas = [
      hash(z.object({ id, name })),
      hash(z.object({ id, name }), ['name']),
      hash(z.object({ id, name: z.string() })),
      hash(z.object({ id, name: name.default(null) })),
      hash(z.object({ id })),
    ];
    expect(new Set(schemas).size).toBe(schemas.length);
    expect(hash(z.object({ name, id }))).toBe(schemas[0]);
  });
});
