import { statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { masterKeyId, UnknownMasterKeyError } from '@gatebook/eventlog/encryption/master-key';
import { postgresWrappedKeys } from '@gatebook/eventlog/postgres/key-store';
import { operationsAtHead } from '@gatebook/projections/operations/at-head';
import { daysSinceBackup, missingLeaders } from '@gatebook/projections/operations/problems';
import { type OperationsStatus, operationsStatus } from '@gatebook/projections/operations/queries';
import { type Config, readConfig } from '@gatebook/runtime/config';
import { roleNames } from '@gatebook/runtime/database-roles';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool, type Pool, pendingMigrations } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { readLogHistory } from '../log-history.ts';
import type { CliContext } from './cli-context.ts';
import { describeLostKeys, findLostKeys, type LostKeys } from './lost-keys-check.ts';
import { type DatabasePlace, type Operator, openDatabase, openOperator } from './operator.ts';
import { count } from './text.ts';

/** `note`: worth knowing, but not an error. `advice`: what to do. */
export type Check = { name: string; state: 'ok' | 'note' | 'failed'; finding: string; advice: string | null };

const version = createRequire(import.meta.url)('../../../../package.json').version as string;
const oldestNode = [22, 18] as const;
const oldestPostgres = 14;
/** With a larger difference, tokens and codes are valid too early or too late. */
const clockToleranceMs = 1000;
/** A smaller lag is normal for a busy log. */
const maxLag = 1000n;
const diskNeeded = 2 * 1024 ** 3;
const connectTimeoutMs = 3000;

const migrationFolders: readonly (readonly [schema: string, folder: string])[] = [
  ['log', '../../../eventlog/src/postgres/migrations/'],
  ['keys', '../../../eventlog/src/postgres/key-migrations/'],
  ['readmodel', '../../../projections/src/migrations/'],
  ['activity', '../../../readmodel/src/activity/migrations/'],
  ['requests', '../../../readmodel/src/requests/migrations/'],
  ['peers', '../../../projections/src/peers/migrations/'],
  ['worker', '../../../worker/src/migrations/'],
  ['backups', '../backup/migrations/'],
];

const ok = (name: string, finding: string): Check => ({ name, state: 'ok', finding, advice: null });
const note = (name: string, finding: string, advice: string | null = null): Check => ({
  name,
  state: 'note',
  finding,
  advice,
});
const failed = (name: string, finding: string, advice: string): Check => ({ name, state: 'failed', finding, advice });
const messageOf = (error: unknown) => {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
};

/**
 * Checks everything an installation needs, without changing anything. Checks that depend on a failed one are left out.
 */
export async function runChecks(context: CliContext, { isComplete = false } = {}): Promise<readonly Check[]> {
  const checks: Check[] = [programCheck()];
  let config: Config;
  try {
    config = readConfig(context.env);
    checks.push(ok('configuration', 'all settings are valid'));
  } catch (error) {
    return [...checks, failed('configuration', messageOf(error), 'fix the settings listed above')];
  }
  const server = await serverCheck(context, config);
  checks.push(server, ...(await connectionChecks(config)));
  return [
    ...checks,
    ...(await databaseChecks(context, config, { isServerRunning: server.state === 'ok', isComplete })),
  ];
}

function programCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const finding = `Gatebook ${version} on Node ${process.versions.node}`;
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  return isOld ? failed('program', finding, `install Node ${oldestNode.join('.')} or newer`) : ok('program', finding);
}

async function serverCheck({ network }: CliContext, { http }: Config): Promise<Check> {
  const url = `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`;
  const signal = AbortSignal.timeout(connectTimeoutMs);
  try {
    const answer = await network.fetch(`${url}/health/ready`, { signal });
    const served = (await (await network.fetch(`${url}/dashboard/config.json`, { signal })).json()) as {
      version?: string;
    };
    if (!answer.ok) return failed('server', `${url} is not ready: ${await answer.text()}`, 'see the checks below');
    if (served.version !== version) {
      return failed(
        'server',
        `${url} runs version ${served.version}, this program is version ${version}`,
        'use the same version',
      );
    }
    return ok('server', `${url} is ready, version ${served.version}`);
  } catch {
    return note('server', `no response from ${url}`, 'start Gatebook if it should run here');
  }
}

/** Connects to the other servers of the configuration without using them. */
async function connectionChecks({ redis, smtp }: Config): Promise<Check[]> {
  const places: [string, string | null, number, string][] = [
    ['Redis', redis.url, 6379, 'REDIS_URL'],
    ['SMTP server', smtp.url, smtp.url?.startsWith('smtps') ? 465 : 587, 'GATEBOOK_SMTP_URL'],
  ];
  const checks = places.map(async ([name, url, port, setting]) => {
    if (url === null) return note(name, `not configured (${setting})`);
    const { hostname, port: given } = new URL(url);
    const at = `${hostname}:${given || port}`;
    try {
      await reach(hostname, Number(given) || port);
      return ok(name, `${at} accepts connections`);
    } catch (error) {
      return failed(name, `could not connect to ${at}: ${messageOf(error)}`, `start it or fix ${setting}`);
    }
  });
  return Promise.all(checks);
}

function reach(host: string, port: number): Promise<void> {
  return new Promise((done, fail) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: connectTimeoutMs });
    socket.once('connect', () => {
      socket.destroy();
      done();
    });
    socket.once('timeout', () => socket.destroy(new Error('timed out')));
    socket.once('error', fail);
  });
}

async function databaseChecks(
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
    const database = await databaseCheck(pool, place);
    if (database.state === 'failed') return [database];
    const checks = [database, await clockCheck(pool), await diskCheck(pool, config, place)];
    const pending = await pendingOf(pool, config);
    checks.push(migrationsCheck(pending));
    // Opening the log would run the pending migrations.
    if (pending.length > 0) return checks;
    checks.push(await backupCheck(pool, config));
    const env = { ...context.env, GATEBOOK_DATABASE_URL: place.url, GATEBOOK_DATABASE_URL_FILE: undefined };
    return [...checks, ...(await logChecks(env, options))];
  } finally {
    await shutdown.run();
  }
}

const kinds: Readonly<Record<DatabasePlace['kind'], string>> = {
  configured: 'GATEBOOK_DATABASE_URL',
  running: 'embedded, of the running server',
  started: 'embedded, started for this check',
};

async function databaseCheck(pool: Pool, { kind }: DatabasePlace): Promise<Check> {
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

async function clockCheck(pool: Pool): Promise<Check> {
  const before = Date.now();
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const here = (before + Date.now()) / 2;
  const differenceMs = Math.round(Math.abs((rows[0]?.now.getTime() ?? here) - here));
  const finding = `${count(differenceMs)} ms difference between this machine and the database`;
  return differenceMs > clockToleranceMs
    ? failed('clock', finding, 'synchronize both with NTP, because tokens contain times')
    : ok('clock', finding);
}

async function diskCheck(pool: Pool, { dataDir }: Config, { kind }: DatabasePlace): Promise<Check> {
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

async function pendingOf(pool: Pool, { database }: Config): Promise<string[]> {
  const lists = migrationFolders.map(async ([schema, folder]) => {
    const files = await pendingMigrations(pool, new URL(folder, import.meta.url), schema);
    return files.map((file) => `${schema}/${file}`);
  });
  const pending = (await Promise.all(lists)).flat();
  if (pending.length > 0 || database.rolePrefix === null) return pending;
  const { hasPrivileges } = await import('../database/prepare.ts');
  return (await hasPrivileges(pool, roleNames(database.rolePrefix), false)) ? [] : ['role privileges'];
}

function migrationsCheck(pending: readonly string[]): Check {
  if (pending.length === 0) return ok('migrations', 'up to date');
  return failed(
    'migrations',
    `pending: ${pending.join(', ')}`,
    'start this version of Gatebook or run gatebook migrate',
  );
}

async function backupCheck(pool: Pool, config: Config): Promise<Check> {
  const history = await readLogHistory(pool, config);
  const { lastBackup, backupDueDays } = history;
  if (lastBackup === null) return note('backup', 'no backup was made with gatebook backup', 'see docs/operations.md');
  const days = daysSinceBackup(history, Date.now());
  const age = days === 0 ? 'made within a day' : `the last one is ${days} ${days === 1 ? 'day' : 'days'} old`;
  const finding = `${age}, ${lastBackup.verifiedAt === null ? 'not verified' : 'verified'}`;
  const isOld = backupDueDays !== null && days >= backupDueDays;
  return isOld ? note('backup', finding, 'run gatebook backup, and schedule it') : ok('backup', finding);
}

/** `isComplete`: read the whole log. */
type LogCheckOptions = { isServerRunning: boolean; isComplete: boolean };

async function logChecks(env: CliContext['env'], { isServerRunning, isComplete }: LogCheckOptions): Promise<Check[]> {
  let operator: Operator;
  try {
    operator = await openOperator(env);
  } catch (error) {
    const isKeyUnknown = error instanceof UnknownMasterKeyError;
    const advice = isKeyUnknown ? 'check GATEBOOK_MASTER_KEY' : 'follow the message';
    return [failed('log', messageOf(error), advice)];
  }
  try {
    const { config, store, pool } = operator;
    const head = await store.head();
    let lostKeys: LostKeys;
    try {
      // Decrypts personal fields, so that a wrong master key is found.
      lostKeys = await findLostKeys(store, { isComplete });
    } catch (error) {
      const finding = `head at position ${count(head)}, but events can't be read: ${messageOf(error)}`;
      return [failed('log', finding, 'check GATEBOOK_MASTER_KEY')];
    }
    return [
      ok(
        'log',
        `in ${config.eventStore.url === null ? 'the database' : 'EventStoreDB'}, head at position ${count(head)}, readable with the master key`,
      ),
      lostKeysCheck(lostKeys),
      await masterKeyCheck(operator),
      ...(await subscriptionChecks(operator, isServerRunning)),
      leadersCheck(await operationsStatus(pool), isServerRunning),
    ];
  } finally {
    await operator.close();
  }
}

function lostKeysCheck(lostKeys: LostKeys): Check {
  const { events, checked, otherUnreadable } = lostKeys;
  if (events > 0) {
    const advice = 'restore schema keys from a backup, or see "A lost key" in docs/operations.md';
    return failed('subject keys', describeLostKeys(lostKeys), advice);
  }
  if (otherUnreadable !== null) return failed('subject keys', otherUnreadable, 'install the newest version');
  return ok('subject keys', `none is lost among ${count(checked)} events`);
}

/** A new master key is used only after `gatebook keys rotate master`. */
async function masterKeyCheck({ accountPool: pool, masterKey }: Operator): Promise<Check> {
  const [newest] = await masterKey();
  const id = newest ? masterKeyId(newest) : '';
  const others = await Promise.all(postgresWrappedKeys(pool).map((table) => table.listWrappedByOthers(id, '', 1)));
  return others.every((keys) => keys.length === 0)
    ? ok('master key', 'wraps all keys')
    : note('master key', 'some keys are still wrapped by a former master key', 'run gatebook keys rotate master');
}

async function subscriptionChecks({ pool, store, groups }: Operator, isServerRunning: boolean): Promise<Check[]> {
  const operations = () => operationsStatus(pool);
  const { subscriptions, projectionVersions } = await operationsAtHead({ operations, store });
  const checks = subscriptions.map(({ name, lag, error }) => {
    const check = `subscription ${name}`;
    if (error !== null) return failed(check, error, 'fix the cause (often with a newer version) and restart');
    const finding = lag === 0n ? 'up to date' : `lag of ${count(lag)} events`;
    if (lag < maxLag) return ok(check, finding);
    return isServerRunning
      ? failed(
          check,
          finding,
          'check again in a minute; if the lag does not shrink, read the log of the process and restart it',
        )
      : note(check, finding, 'catches up when Gatebook runs');
  });
  const missing = groups
    .filter(({ name }) => !projectionVersions.some(({ group, state }) => group === name && state === 'live'))
    .map(({ name }) =>
      failed(`subscription ${name}`, 'has no live projection version yet', 'start Gatebook and wait until it is built'),
    );
  return [...checks, ...missing];
}

function leadersCheck({ leaders }: OperationsStatus, isServerRunning: boolean): Check {
  const missing = missingLeaders(leaders, ['projector', 'worker']).map(({ code }) => code.replace('_missing', ''));
  if (missing.length === 0) return ok('leaders', 'projector and worker are running');
  const finding = `not running: ${missing.join(', ')}`;
  return isServerRunning ? failed('leaders', finding, 'start one or read its log') : note('leaders', finding);
}
