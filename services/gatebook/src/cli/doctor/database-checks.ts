import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { daysSinceBackup } from '@gatebook/projections/operations/problems';
import type { Config } from '@gatebook/runtime/config';
import { roleNames } from '@gatebook/runtime/database-roles';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool, type Pool, pendingMigrations } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { readLogHistory } from '../../log-history.ts';
import type { CliContext } from '../cli-context.ts';
import { type DatabasePlace, openDatabase } from '../operator.ts';
import { count } from '../text.ts';
import { type Check, failed, messageOf, note, ok } from './check.ts';
import { checkLog, type LogCheckOptions } from './log-checks.ts';

const oldestPostgres = 14;
/** With a larger difference, tokens and codes are valid too early or too late. */
const clockToleranceMs = 1000;
const diskNeeded = 2 * 1024 ** 3;

const migrationFolders: readonly (readonly [schema: string, folder: string])[] = [
  ['log', '../../../../eventlog/src/postgres/migrations/'],
  ['keys', '../../../../eventlog/src/postgres/key-migrations/'],
  ['readmodel', '../../../../projections/src/migrations/'],
  ['activity', '../../../../readmodel/src/activity/migrations/'],
  ['requests', '../../../../readmodel/src/requests/migrations/'],
  ['peers', '../../../../projections/src/peers/migrations/'],
  ['worker', '../../../../worker/src/migrations/'],
  ['backups', '../../backup/migrations/'],
];

/** Checks the database and, if it is migrated, the log. */
export async function checkDatabase(
  context: CliContext,
  config: Config,
  options: LogCheckOptions,
): Promise<readonly Check[]> {
  const shutdown = createShutdown(createLogger({ level: 'silent' }));
  try {
    let place: DatabasePlace;
    try {
      place = await openDatabase(config, shutdown);
    } catch (error) {
      return [failed('database', messageOf(error), 'follow the message')];
    }
    const pool = createPool(place.url, { max: 2, name: 'gatebook doctor' });
    shutdown.add('pool', () => pool.end());
    const database = await checkPostgres(pool, place);
    if (database.state === 'failed') return [database];
    const checks = [database, await checkClock(pool), await checkDisk(pool, config, place)];
    const pending = await listPending(pool, config);
    checks.push(checkMigrations(pending));
    // Opening the log would run the pending migrations.
    if (pending.length > 0) return checks;
    checks.push(await checkBackup(pool, config));
    const env = { ...context.env, GATEBOOK_DATABASE_URL: place.url, GATEBOOK_DATABASE_URL_FILE: undefined };
    return [...checks, ...(await checkLog(env, options))];
  } finally {
    await shutdown.run();
  }
}

const kinds: Readonly<Record<DatabasePlace['kind'], string>> = {
  configured: 'GATEBOOK_DATABASE_URL',
  running: 'embedded, of the running server',
  started: 'embedded, started for this check',
};

async function checkPostgres(pool: Pool, { kind }: DatabasePlace): Promise<Check> {
  try {
    const start = performance.now();
    const { rows } = await pool.query<{ server_version: string }>('show server_version');
    const ms = Math.round(performance.now() - start);
    const name = `Postgres ${rows[0]?.server_version} (${kinds[kind]}), responds in ${ms} ms`;
    const isOld = Number.parseInt(rows[0]?.server_version ?? '', 10) < oldestPostgres;
    return isOld ? failed('database', name, `install Postgres ${oldestPostgres} or newer`) : ok('database', name);
  } catch (error) {
    return failed('database', `could not connect: ${messageOf(error)}`, 'start it or fix GATEBOOK_DATABASE_URL');
  }
}

async function checkClock(pool: Pool): Promise<Check> {
  const before = Date.now();
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const here = (before + Date.now()) / 2;
  const differenceMs = Math.round(Math.abs((rows[0]?.now.getTime() ?? here) - here));
  const finding = `${count(differenceMs)} ms difference between this machine and the database`;
  return differenceMs > clockToleranceMs
    ? failed('clock', finding, 'synchronize both with NTP, because tokens contain times')
    : ok('clock', finding);
}

async function checkDisk(pool: Pool, { dataDir }: Config, { kind }: DatabasePlace): Promise<Check> {
  const { rows } = await pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  const used = `the database uses ${gigabytes(Number(rows[0]?.bytes ?? 0))}`;
  if (kind === 'configured') return ok('disk', `${used}; monitor the free space on its server`);
  const { bavail, bsize } = await statfs(resolve(dataDir));
  const finding = `${used}, ${gigabytes(bavail * bsize)} free`;
  return bavail * bsize < diskNeeded
    ? failed('disk', finding, 'free some space: a rebuild needs room for a second copy of the read models')
    : ok('disk', finding);
}

const gigabytes = (bytes: number) =>
  bytes < 1024 ** 3 ? `${Math.ceil(bytes / 1024 ** 2)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`;

async function listPending(pool: Pool, { database }: Config): Promise<string[]> {
  const lists = migrationFolders.map(async ([schema, folder]) => {
    const files = await pendingMigrations(pool, new URL(folder, import.meta.url), schema);
    return files.map((file) => `${schema}/${file}`);
  });
  const pending = (await Promise.all(lists)).flat();
  if (pending.length > 0 || database.rolePrefix === null) return pending;
  const { hasPrivileges } = await import('../../database/prepare.ts');
  return (await hasPrivileges(pool, roleNames(database.rolePrefix), false)) ? [] : ['role privileges'];
}

function checkMigrations(pending: readonly string[]): Check {
  if (pending.length === 0) return ok('migrations', 'up to date');
  return failed(
    'migrations',
    `pending: ${pending.join(', ')}`,
    'start this version of Gatebook or run gatebook migrate',
  );
}

async function checkBackup(pool: Pool, config: Config): Promise<Check> {
  const history = await readLogHistory(pool, config);
  const { lastBackup, backupDueDays } = history;
  if (lastBackup === null) return note('backup', 'no backup was made with gatebook backup', 'see docs/operations.md');
  const days = daysSinceBackup(history, Date.now());
  const age = days === 0 ? 'made within a day' : `the last one is ${days} ${days === 1 ? 'day' : 'days'} old`;
  const finding = `${age}, ${lastBackup.verifiedAt === null ? 'not verified' : 'verified'}`;
  const isOld = backupDueDays !== null && days >= backupDueDays;
  return isOld ? note('backup', finding, 'run gatebook backup, and schedule it') : ok('backup', finding);
}
