import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import { inTransaction, type Pool, type PoolClient } from '@gatebook/runtime/postgres';
import { StartError } from '../embedded/data-folder.ts';
import { type Progress, readProgress } from './database.ts';
import { type Chunk, createTotals, DamagedBackupError, type Header, type Totals } from './format.ts';
import { continueIdentities, describeTables, insertRows, readRows, type TableShape } from './rows.ts';
import { copiedTables, eventsTable } from './tables.ts';
import { openBackup } from './verify-backup.ts';

export type RestoreParts = {
  /** Has the account of the database's owner, and `textSettings`. */
  pool: Pool;
  masterKey: MasterKeySource;
  hasLog: boolean;
  onChunk?: (chunks: number) => void;
};

const restoreLock = 'gatebook restore';

/**
 * Fills an empty database from a backup, chunk by chunk: each commits with the progress, so a second call with the same
 * file continues after an interruption. Then reads every row again and compares it with the file. Servers do not start
 * on the database until `finishRestore`. @throws DamagedBackupError, UnknownMasterKeyError, StartError
 */
export async function restoreBackup(
  { pool, masterKey, hasLog, onChunk }: RestoreParts,
  input: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<Header> {
  const file = await openBackup(input, masterKey);
  const { header } = file;
  if ((header.log === 'postgres') !== hasLog) throw new StartError(otherLog[header.log]);
  const tables = new Map((await describeTables(pool, copiedTables)).map((table) => [table.name, table]));
  const progress = await beginRestore(pool, header, file.digest, [...tables.values()]);
  const chunks = file.chunks();
  for (let number = 1; ; number += 1) {
    signal.throwIfAborted();
    const next = await chunks.next();
    if (next.done) {
      await verifyRows(pool, tables, next.value);
      return header;
    }
    const { digest, ...chunk } = next.value;
    if (number > Number(progress.chunks)) await addChunk(pool, tables, chunk, { number, digest });
    else if (number === Number(progress.chunks) && digest !== progress.digest) throw otherFile();
    onChunk?.(number);
  }
}

const otherLog: Readonly<Record<Header['log'], string>> = {
  postgres:
    'The backup has a log of Postgres, which can’t be restored into EventStoreDB: unset GATEBOOK_EVENTSTORE_URL.',
  eventstoredb:
    'The backup has no log, because the log was in EventStoreDB: restore that from its own backup, then set GATEBOOK_EVENTSTORE_URL.',
};
const otherFile = () =>
  new StartError('The database has an unfinished restore of another backup: use that file, or an empty database.');

/** Checks the database and records that a restore is in progress. */
async function beginRestore(
  pool: Pool,
  { id }: Header,
  digest: string,
  tables: readonly TableShape[],
): Promise<Progress> {
  return inTransaction(pool, async (db) => {
    await db.query('select pg_advisory_xact_lock(hashtext($1))', [restoreLock]);
    const known = await readProgress(db);
    if (known && !known.isFinished) {
      if (known.backupId !== id) throw otherFile();
      return known;
    }
    for (const { name, hasFirstRows } of tables) {
      if (hasFirstRows) continue;
      const { rowCount } = await db.query(`select from ${name} limit 1`);
      if (rowCount === 0) continue;
      throw new StartError(
        `The database is not empty (${name} has rows). A backup can be restored into an empty database only.`,
      );
    }
    for (const { name } of tables.filter(({ hasFirstRows }) => hasFirstRows)) await db.query(`delete from ${name}`);
    await db.query('insert into backups.restore (backup_id, digest) values ($1, $2)', [id, digest]);
    return { backupId: id, chunks: '0', digest, isFinished: false };
  });
}

async function addChunk(
  pool: Pool,
  tables: ReadonlyMap<string, TableShape>,
  { table: name, columns, rows }: Chunk,
  { number, digest }: { number: number; digest: string },
): Promise<void> {
  const table = tables.get(name);
  if (!table) throw new Error(`The backup has a table ${name} that this version does not know: update Gatebook.`);
  await inTransaction(pool, async (db) => {
    // Another restore that began meanwhile would have moved the progress.
    const { rowCount } = await db.query(
      'update backups.restore set chunks = $1, digest = $2 where chunks = $1::bigint - 1 and finished_at is null',
      [number, digest],
    );
    if (rowCount !== 1) throw new StartError('Another restore of this backup is running.');
    if (name === eventsTable.name) await addPartitions(db, columns, rows);
    await insertRows(db, table, columns, rows);
    if (name === eventsTable.name) await addStreamHeads(db, columns, rows);
  });
}

const positionsOf = (columns: readonly string[], rows: readonly string[]) => {
  const column = columns.indexOf('position');
  return rows.map((line) => (JSON.parse(line) as string[])[column] ?? '');
};

/** The partition of the last position and the next one. */
async function addPartitions(db: PoolClient, columns: readonly string[], rows: readonly string[]): Promise<void> {
  const positions = positionsOf(columns, rows);
  await db.query(
    `select log.add_partition(number) from generate_series(
       ($1::bigint - 1) / log.partition_size(), ($2::bigint - 1) / log.partition_size() + 1) as number`,
    [positions.at(0), positions.at(-1)],
  );
}

async function addStreamHeads(db: PoolClient, columns: readonly string[], rows: readonly string[]): Promise<void> {
  const positions = positionsOf(columns, rows);
  await db.query(
    `insert into log.streams as s (stream, revision, first_position, last_position)
     select stream, max(revision), min(position), max(position) from log.events
     where position between $1 and $2 group by stream
     on conflict (stream) do update set revision = excluded.revision, last_position = excluded.last_position`,
    [positions.at(0), positions.at(-1)],
  );
}

/** Reads back what is in the database and compares it with the totals of the file. @throws Error */
async function verifyRows(pool: Pool, tables: ReadonlyMap<string, TableShape>, expected: Totals): Promise<void> {
  for (const [name, { rows, columns, digest }] of Object.entries(expected)) {
    const table = tables.get(name);
    if (!table) throw new DamagedBackupError(`has an unknown table ${name}`);
    await continueIdentities(pool, table);
    const totals = createTotals();
    const copied = {
      ...table,
      columns: columns.flatMap((column) => table.columns.filter((known) => known.name === column)),
    };
    for await (const page of readRows(pool, copied, null)) totals.add({ table: name, columns, rows: page });
    const found = totals.take()[name];
    if (found?.rows === rows && found.digest === digest) continue;
    throw new Error(
      `The restored table ${name} differs from the backup (${found?.rows ?? 0} of ${rows} rows): start again with an empty database.`,
    );
  }
}

/**
 * Begins a new epoch after the events of the backup, because later ones are lost. Does nothing when repeated, because
 * the newest epoch is no longer the one of the backup.
 */
export async function beginEpoch(pool: Pool, { epoch, head }: Header, logHead: bigint): Promise<void> {
  await pool.query('select log.begin_epoch($1, $2)', [epoch, head ?? logHead]);
}

/** Lets servers start. */
export async function finishRestore(pool: Pool): Promise<void> {
  await inTransaction(pool, async (db) => {
    // A subject that was erased during the backup can have blobs in it.
    await db.query(
      `delete from log.blobs b using keys.subjects s
       where b.is_encrypted and s.subject_id = b.owner and s.wrapped is null`,
    );
    // The worker has yet to see the events of these blobs.
    await db.query('update log.blobs set put_at = now() where not is_used');
    // While Gatebook did not run, no endpoint failed.
    await db.query('update webhooks.endpoints set failing_since = null, warned_at = null');
    await db.query('update backups.restore set finished_at = now() where finished_at is null');
  });
}
