import { createHmac, randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { openKeys } from '@gatebook/eventlog/encryption/installation-key';
import type { MasterKeySource } from '@gatebook/eventlog/encryption/master-key';
import type { Pool } from '@gatebook/runtime/postgres';
import { type Header, startFile } from './format.ts';
import { describeTables, readRows, type TableShape } from './rows.ts';
import { copiedTables, eventsTable } from './tables.ts';

export type BackupParts = {
  /** Has the account of the database's owner, and `textSettings`. */
  pool: Pool;
  masterKey: MasterKeySource;
  version: string;
  /** Whether the log is in the database. */
  hasLog: boolean;
};
export type BackupResult = { header: Header; rows: number; bytes: number };

/** Identifies an installation without revealing its key. */
export const installationOf = (installationKey: Buffer): string =>
  createHmac('sha256', installationKey).update('gatebook installation').digest('base64url').slice(0, 22);

/**
 * Writes everything that is not derived from the log to `output`, while servers run. Events are those up to the head of
 * this moment; the other tables are read after them. @throws UnknownMasterKeyError if the master key does not belong to
 * the database: the backup would be useless with it
 */
export async function createBackup(parts: BackupParts, output: Writable, signal: AbortSignal): Promise<BackupResult> {
  const { pool, masterKey, version, hasLog } = parts;
  const installation = await readInstallation(pool, masterKey);
  const tables = (await describeTables(pool, copiedTables)).filter(({ name }) => hasLog || name !== eventsTable.name);
  const [first, others] = [tables.filter(isProgress), tables.filter((table) => !isProgress(table))];
  const progress: { table: TableShape; page: string[] }[] = [];
  for (const table of first) for await (const page of readRows(pool, table, null)) progress.push({ table, page });
  const { head, epoch, now } = await readHead(pool);
  const header: Header = {
    id: randomUUID(),
    installation: installation.id,
    createdAt: now.toISOString(),
    version,
    log: hasLog ? 'postgres' : 'eventstoredb',
    epoch,
    head: hasLog ? head : null,
    installationKey: installation.wrapped,
  };
  const file = await startFile(output, header);
  let rows = 0;
  async function add(table: string, columns: readonly string[], page: readonly string[]): Promise<void> {
    signal.throwIfAborted();
    rows += page.length;
    await file.add({ table, columns, rows: page });
  }
  for (const { table, page } of progress) await add(table.name, namesOf(table), page);
  for (const table of others) {
    for await (const page of readRows(pool, table, header.head)) await add(table.name, namesOf(table), page);
  }
  const bytes = await file.end();
  return { header, rows, bytes };
}

const isProgress = (table: TableShape) => table.isProgress === true;
const namesOf = ({ columns }: { columns: readonly { name: string }[] }) => columns.map(({ name }) => name);

/** @throws UnknownMasterKeyError */
export async function readInstallation(
  pool: Pool,
  masterKey: MasterKeySource,
): Promise<{ id: string; wrapped: string }> {
  const { rows } = await pool.query<{ wrapped: string }>('select wrapped from keys.installation');
  const wrapped = rows[0]?.wrapped;
  if (wrapped === undefined) throw new Error('This database has no installation key yet: start Gatebook once.');
  return { id: installationOf(await openInstallationKey(masterKey, wrapped)), wrapped };
}

/** @throws UnknownMasterKeyError */
export async function openInstallationKey(masterKey: MasterKeySource, wrapped: string): Promise<Buffer> {
  const keys = await openKeys(masterKey, {
    load: async () => wrapped,
    add: async () => wrapped,
    replace: async () => false,
    onChanged: async () => async () => undefined,
  });
  await keys.close();
  return keys.installationKey;
}

async function readHead(pool: Pool): Promise<{ head: string; epoch: string | null; now: Date }> {
  const { rows } = await pool.query<{ head: string; epoch: string | null; now: Date }>(
    `select coalesce((select max(position) from log.events), 0)::text as head, clock_timestamp() as now,
       (select epoch from log.epochs order by number desc limit 1)::text as epoch`,
  );
  return rows[0] ?? { head: '0', epoch: null, now: new Date() };
}

/** Records that the file of a backup was verified. @returns false for a backup of another database, or an old one */
export async function recordVerification(pool: Pool, { id }: Header): Promise<boolean> {
  const { rowCount } = await pool.query('update backups.made set verified_at = now() where id = $1', [id]);
  return rowCount === 1;
}

/** Records a finished backup for operators, and forgets the oldest. */
export async function recordBackup(pool: Pool, { id, head }: Header): Promise<void> {
  await pool.query('insert into backups.made (id, head) values ($1, $2)', [id, head]);
  await pool.query(
    'delete from backups.made where id not in (select id from backups.made order by finished_at desc limit 100)',
  );
}
