import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DomainEvent } from '@gatebook/domain/event';
import { everyTable } from '@gatebook/readmodel/testing/every-table';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareDatabase, useLogins } from '../database/prepare.ts';
import { runLine } from '../testing/run-line.ts';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';
import { restoreBackup } from './restore-backup.ts';
import { textSettings } from './rows.ts';
import { copiedTables, otherTables } from './tables.ts';

const userId = '00000000-0000-4000-8002-000000000001';
const renamed = (displayName: string): DomainEvent => ({ type: 'UserRenamed', data: { userId, displayName, at } });

let operator: TestOperator;
let folder: string;
let file: string;
beforeAll(async () => {
  operator = await openTestOperator();
  folder = await mkdtemp(join(tmpdir(), 'gatebook-backup-'));
  file = join(folder, 'full.backup');
  for (const { stream, events } of everyTable) await operator.record(stream, ...events);
  const changes = Array.from({ length: 500 }, (_, number) => renamed(`Name ${number}`));
  for (let round = 0; round < 5; round += 1) await operator.record(`user-${userId}`, ...changes);
  await operator.accountPool.query(
    `insert into activity.days values ('internal', '2026-01-15', $1);
     insert into activity.active_users values ('internal', '2026-01-15', 1, 3, 2, 1);
     insert into log.blobs values ('project-internal', 'hash', '\\x00ff', false, true);
     insert into readmodel.subscriptions (name, position) values ('emails', 7)`.replace('$1', `'${userId}'`),
  );
  expect(await operator.run(`backup ${file}`)).toMatchObject({
    errors: '',
    code: 0,
    output: expect.stringContaining('events up to position 2,'),
  });
});
afterAll(async () => {
  await operator.close();
  await rm(folder, { recursive: true });
});

const masterKey = async () => operator.masterKey();
const keyText = async () => (await masterKey())[0]?.toString('base64') ?? '';

/** Runs a command on another database with the same master key. */
async function runOn({ url }: TestDatabase, line: string, env: Record<string, string> = {}) {
  return runLine(line, {
    env: { GATEBOOK_DATABASE_URL: url, GATEBOOK_MASTER_KEY: await keyText(), GATEBOOK_DATA_DIR: folder, ...env },
  });
}

async function withDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await testDatabase();
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

const contentOf = async (pool: Pool, table: string, key: string) =>
  (await pool.query(`select t::text as row from ${table} t order by ${key}`)).rows.map(({ row }) => row);

describe('a backup', () => {
  test('restores every copied table byte for byte, and begins a new epoch', () =>
    withDatabase(async (database) => {
      const { code, output, errors } = await runOn(database, `restore ${file}`);
      expect({ code, errors }).toEqual({ code: 0, errors: '' });
      expect(output).toContain('every row was verified');
      for (const [table, key] of [
        ['log.events', 'position'],
        ['keys.subjects', 'subject_id'],
        ['keys.installation', 'wrapped'],
        ['activity.days', 'user_id'],
        ['activity.active_users', 'day'],
        ['readmodel.subscriptions', 'name'],
        ['log.streams', 'stream'],
        ['log.blobs', 'hash'],
      ] as const) {
        const rows = await contentOf(operator.accountPool, table, key);
        expect(rows.length, table).toBeGreaterThan(0);
        expect(await contentOf(database.pool, table, key), table).toEqual(rows);
      }
      const epochs = 'select epoch, after_position from log.epochs order by number';
      const [before, after] = await Promise.all([operator.accountPool.query(epochs), database.pool.query(epochs)]);
      expect(after.rows).toEqual([
        ...before.rows,
        { epoch: expect.anything(), after_position: String(await operator.store.head()) },
      ]);
      const guard = await database.pool.query(
        `select * from log.append(array[1], array['user-${userId}'],
           array[(select revision from log.streams where stream = 'user-${userId}')], '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
      );
      expect(guard.rows).toMatchObject([{ base: String(await operator.store.head()), lost: [] }]);
    }));

  test('is verified by gatebook backup verify', async () => {
    const { code, output } = await operator.run(`backup verify ${file}`);
    expect(code).toBe(0);
    expect(output).toContain('is complete');
    const { rows } = await operator.accountPool.query('select count(*) from keys.subjects where wrapped is not null');
    expect(output).toContain(`all ${rows[0].count} keys`);
  });

  test('is readable by its owner only, and is seen by doctor', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { checks } = JSON.parse((await operator.run('doctor --json')).output);
    expect(checks.find(({ name }: { name: string }) => name === 'backup')).toMatchObject({ state: 'ok' });
    await operator.accountPool.query(`update backups.made set finished_at = now() - interval '9 days'`);
    const later = JSON.parse((await operator.run('doctor --json')).output).checks;
    expect(later.find(({ name }: { name: string }) => name === 'backup')).toMatchObject({
      state: 'note',
      finding: 'the last one is 9 days old, verified',
    });
  });

  test('has every table that is not derived from the log', async () => {
    const { rows } = await operator.accountPool.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and not c.relispartition
         and n.nspname !~ '^(pg_|information_schema|public$|(main|metrics|audit|events|past)_g)' and c.relname <> 'migrations'`,
    );
    const listed = new Set([...copiedTables.map(({ name }) => name), ...Object.keys(otherTables)]);
    const isListed = (name: string) => listed.has(name) || listed.has(`${name.split('.')[0]}.*`);
    expect(rows.map(({ name }) => name).filter((name) => !isListed(name))).toEqual([]);
    const existing = new Set(rows.map(({ name }) => name));
    expect([...listed].filter((name) => !name.endsWith('*') && !existing.has(name))).toEqual([]);
  });
});

describe('a backup that is not intact', () => {
  const damaged = async (change: (bytes: Buffer) => Buffer) => {
    const path = join(folder, `${randomBytes(4).toString('hex')}.backup`);
    await writeFile(path, change(await readFile(file)));
    return path;
  };
  const flipAt = (place: (bytes: Buffer) => number) => (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const index = place(bytes);
    copy[index] = (copy[index] ?? 0) ^ 1;
    return copy;
  };

  test.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length * 0.6), 'is cut off'],
    ['cut off before its last line', (bytes) => bytes.subarray(0, bytes.lastIndexOf('{"totals"')), 'is cut off'],
    ['changed in its header', flipAt((bytes) => bytes.indexOf('createdAt') + 20), 'a checksum is wrong'],
    ['changed in the middle', flipAt((bytes) => bytes.length >> 1), 'a checksum is wrong'],
    ['changed in its last line', flipAt((bytes) => bytes.lastIndexOf('"rows":') + 7), 'a checksum is wrong'],
    ['something else', () => Buffer.from('PGDMP'), 'is not a file made by gatebook backup'],
    ['empty', () => Buffer.alloc(0), 'is not a file made by gatebook backup'],
    ['newer', (bytes) => Buffer.concat([Buffer.from('gatebook backup 2'), bytes.subarray(17)]), 'newer version'],
  ])('is rejected when it is %s', async (_case, change, message) => {
    const path = await damaged(change);
    const { code, errors } = await operator.run(`backup verify ${path}`);
    expect(code).toBe(1);
    expect(errors).toContain(message);
  });

  test('is not restored, and no server starts on what was', async () => {
    const path = await damaged((bytes) => bytes.subarray(0, bytes.lastIndexOf('{"totals"')));
    await withDatabase(async (database) => {
      expect(await runOn(database, `restore ${path}`)).toMatchObject({
        code: 1,
        errors: expect.stringContaining('is cut off'),
      });
      await expect(prepareDatabase(database.url)).rejects.toThrow('A restore of this database is not finished');
    });
  });

  test('is rejected with another master key, before anything is written', () =>
    withDatabase(async (database) => {
      const other = { GATEBOOK_MASTER_KEY: randomBytes(32).toString('base64') };
      for (const command of [`backup verify ${file}`, `restore ${file}`]) {
        const { code, errors } = await runOn(database, command, other);
        expect(code).toBe(1);
        expect(errors).toContain('The master key does not belong to this backup');
      }
      expect((await database.pool.query('select from log.events')).rowCount).toBe(0);
      expect(await operator.run(`backup ${file}.other`, { env: other })).toMatchObject({
        code: 1,
        errors: expect.stringContaining('The master key does not belong to'),
      });
    }));
});

describe('a restore', () => {
  test('continues after an interruption at any chunk, and no server starts before its end', () =>
    withDatabase(async (database) => {
      await prepareDatabase(database.url);
      const pool = createPool(database.url, { max: 2, name: 'gatebook restore', settings: textSettings });
      try {
        for (let stop = 1; ; stop += 1) {
          const stopping = new AbortController();
          const onChunk = (chunks: number) => {
            if (chunks === stop) stopping.abort();
          };
          const parts = { pool, masterKey, hasLog: true, onChunk };
          const ended = await restoreBackup(parts, createReadStream(file), stopping.signal).catch((error) => error);
          if (ended.name !== 'AbortError') {
            expect(ended).toMatchObject({ log: 'postgres' });
            expect(stop).toBeGreaterThan(8);
            break;
          }
        }
      } finally {
        await pool.end();
      }
      expect((await runOn(database, `restore ${file}`)).code).toBe(0);
      await prepareDatabase(database.url);
      expect(await contentOf(database.pool, 'log.events', 'position')).toEqual(
        await contentOf(operator.accountPool, 'log.events', 'position'),
      );
    }));

  test('finds rows that changed while it was interrupted', () =>
    withDatabase(async (database) => {
      await prepareDatabase(database.url);
      const pool = createPool(database.url, { max: 2, name: 'gatebook restore', settings: textSettings });
      const stopping = new AbortController();
      const onChunk = (chunks: number) => {
        if (chunks === 3) stopping.abort();
      };
      await restoreBackup({ pool, masterKey, hasLog: true, onChunk }, createReadStream(file), stopping.signal).catch(
        () => null,
      );
      await pool.query('alter table log.events disable trigger all; delete from log.events where position = 9');
      await pool.end();
      expect(await runOn(database, `restore ${file}`)).toMatchObject({
        code: 1,
        errors: expect.stringContaining('The restored table log.events differs from the backup'),
      });
    }));

  test('is rejected on a database that is not empty, and by a second file', () =>
    withDatabase(async (database) => {
      const second = join(folder, 'second.backup');
      await operator.run(`backup ${second}`);
      await prepareDatabase(database.url);
      await database.pool.query(`insert into keys.subjects values ('a', 'b')`);
      expect((await runOn(database, `restore ${file}`)).errors).toContain('is not empty (keys.subjects has rows)');
      await database.pool.query('delete from keys.subjects');
      await database.pool.query(`insert into backups.restore (backup_id, digest) values (gen_random_uuid(), '')`);
      expect((await runOn(database, `restore ${second}`)).errors).toContain('unfinished restore of another backup');
    }));

  test('is rejected while processes of Gatebook are connected', () =>
    withDatabase(async (database) => {
      await prepareDatabase(database.url);
      const logins = await useLogins(database.url, 'gatebook');
      const server = createPool(logins.api, { max: 1, name: 'gatebook' });
      await server.query('select');
      expect((await runOn(database, `restore ${file}`)).errors).toContain('stop them first');
      await server.end();
    }));

  test('and a backup need the owner of the database', async () => {
    const { url } = operator.database;
    const { api } = await useLogins(url, 'gatebook');
    const { code, errors } = await operator.run(`backup ${file}.role`, { env: { GATEBOOK_DATABASE_URL: api } });
    expect(code).toBe(1);
    expect(errors).toContain('does not own the database');
  });
});

describe('a list of erasures', () => {
  test('erases again whom a backup brings back, and nobody else', async () => {
    const gone = '00000000-0000-4000-8002-000000000003';
    const list = join(folder, 'erasures');
    const before = join(folder, 'before.backup');
    await operator.run(`backup ${before}`);
    await operator.accountPool.query('select keys.erase_subject($1)', [gone]);
    const exported = await operator.run(`erasures export ${list}`);
    expect(exported).toMatchObject({ code: 0 });
    expect(await readFile(list, 'utf8')).toContain(gone);

    await withDatabase(async (database) => {
      expect((await runOn(database, `restore ${before}`)).code).toBe(0);
      const wrapped = `select wrapped is null as erased from keys.subjects where subject_id = $1`;
      expect((await database.pool.query(wrapped, [gone])).rows).toEqual([{ erased: false }]);
      const imported = await runOn(database, `erasures import ${list}`);
      expect(imported).toMatchObject({ code: 0, output: expect.stringContaining('Erased 1 subjects') });
      expect((await database.pool.query(wrapped, [gone])).rows).toEqual([{ erased: true }]);
      expect((await database.pool.query(wrapped, [userId])).rows).toEqual([{ erased: false }]);
      expect(await runOn(database, `erasures import ${list}`)).toMatchObject({
        output: expect.stringContaining('Erased 0 subjects'),
      });
    });

    await withDatabase(async (database) => {
      expect((await runOn(database, `restore ${before} --erasures ${list}`)).output).toContain(
        'Erased 1 subjects again',
      );
      const { rows } = await database.pool.query(
        `select type from log.events where stream = $1 order by position desc limit 1`,
        [`user-${gone}`],
      );
      expect(rows).toEqual([{ type: 'UserDeleted' }]);
    });
  });

  test('is rejected when it is cut off, damaged or of another installation, before anyone is erased', async () => {
    const list = join(folder, 'list');
    await operator.run(`erasures export ${list}`);
    const text = await readFile(list, 'utf8');
    const lines = text.trimEnd().split('\n');
    for (const [changed, message] of [
      [lines.slice(0, -1).join('\n'), 'is cut off or damaged'],
      [lines.toSpliced(1, 1).join('\n'), 'is cut off or damaged'],
      [text.replace(/"installation":"./, '"installation":"!'), 'belongs to another installation'],
      ['PGDMP', 'is cut off or damaged'],
    ] as const) {
      await writeFile(list, changed);
      const { code, errors } = await operator.run(`erasures import ${list}`);
      expect(code).toBe(1);
      expect(errors).toContain(message);
    }
  });

  test('begins at --since', async () => {
    const { output } = await operator.run(`erasures export ${join(folder, 'late')} --since 2099-01-01`);
    expect(output).toBe('Listed 0 erasures.');
    expect((await operator.run(`erasures export ${join(folder, 'late')} --since never`)).code).toBe(2);
  });
});
