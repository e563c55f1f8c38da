import { statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { masterKeyId, UnknownMasterKeyError } from '@gatebook/eventlog/encryption/master-key';
import { postgresWrappedKeys } from '@gatebook/eventlog/postgres/key-store';
import { operationsAtHead } from '@gatebook/readmodel/operations/at-head';
import { operationsStatus } from '@gatebook/readmodel/operations/queries';
import { type Config, readConfig } from '@gatebook/runtime/config';
import { roleNames } from '@gatebook/runtime/database-roles';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool, type Pool, pendingMigrations } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { type DatabasePlace, type Operator, openDatabase, openOperator } from './operator.ts';
import type { Surroundings } from './surroundings.ts';
import { count } from './text.ts';

/** `note`: worth knowing, nothing is wrong. `advice`: what to do. */
export type Check = { about: string; state: 'ok' | 'note' | 'wrong'; finding: string; advice: string | null };
export type Diagnosis = readonly Check[];

const version = createRequire(import.meta.url)('../../../../package.json').version as string;
const oldestNode = [22, 18] as const;
const oldestPostgres = 14;
/** Codes and tokens carry times: a difference shows as tokens that are not yet valid, or no longer. */
const clockToleranceMs = 1000;
/** Fewer events than this behind is the ordinary breathing of a busy log. */
const lagNoticed = 1000n;
const diskNeeded = 2 * 1024 ** 3;
const connectMs = 3000;

const migrationFolders: readonly (readonly [schema: string, folder: string])[] = [
  ['log', '../../../eventlog/src/postgres/migrations/'],
  ['keys', '../../../eventlog/src/postgres/key-migrations/'],
  ['readmodel', '../../../readmodel/src/migrations/'],
  ['activity', '../../../readmodel/src/activity/migrations/'],
  ['requests', '../../../readmodel/src/requests/migrations/'],
  ['peers', '../../../readmodel/src/peers/migrations/'],
  ['worker', '../../../worker/src/migrations/'],
];

const ok = (about: string, finding: string): Check => ({ about, state: 'ok', finding, advice: null });
const note = (about: string, finding: string, advice: string | null = null): Check => ({
  ...{ about, state: 'note', finding, advice },
});
const wrong = (about: string, finding: string, advice: string): Check => ({ about, state: 'wrong', finding, advice });
const wordsOf = (error: unknown) => {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
};

/** Looks at everything an installation needs, as far as the first fault lets it, and changes nothing. */
export async function examine(surroundings: Surroundings): Promise<Diagnosis> {
  const checks: Check[] = [programCheck()];
  let config: Config;
  try {
    config = readConfig(surroundings.env);
    checks.push(ok('configuration', 'every setting can be read'));
  } catch (error) {
    return [...checks, wrong('configuration', wordsOf(error), 'repair the settings named here')];
  }
  const server = await serverCheck(surroundings, config);
  checks.push(server, ...(await connectionChecks(config)));
  return [...checks, ...(await databaseChecks(surroundings, config, server.state === 'ok'))];
}

function programCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const finding = `Gatebook ${version} on Node ${process.versions.node}`;
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  return isOld ? wrong('program', finding, `Node has to be ${oldestNode.join('.')} or newer`) : ok('program', finding);
}

async function serverCheck({ network }: Surroundings, { http }: Config): Promise<Check> {
  const url = `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`;
  const signal = AbortSignal.timeout(connectMs);
  try {
    const answer = await network.fetch(`${url}/health/ready`, { signal });
    const told = (await (await network.fetch(`${url}/dashboard/config.json`, { signal })).json()) as {
      version?: string;
    };
    if (!answer.ok) return wrong('server', `${url} is not ready: ${await answer.text()}`, 'the lines below say why');
    if (told.version !== version) {
      return wrong('server', `${url} runs version ${told.version}, this program is ${version}`, 'use the same version');
    }
    return ok('server', `${url} is ready, version ${told.version}`);
  } catch {
    return note('server', `nothing answers at ${url}`, 'start it, if it is to run here');
  }
}

/** What settings point to beside the database: reached, not used. */
async function connectionChecks({ redis, smtp }: Config): Promise<Check[]> {
  const places: [string, string | null, number, string][] = [
    ['Redis', redis.url, 6379, 'REDIS_URL'],
    ['mail server', smtp.url, smtp.url?.startsWith('smtps') ? 465 : 587, 'GATEBOOK_SMTP_URL'],
  ];
  const checks = places.map(async ([about, url, port, setting]) => {
    if (url === null) return note(about, `none is set (${setting})`);
    const { hostname, port: given } = new URL(url);
    const at = `${hostname}:${given || port}`;
    try {
      await reach(hostname, Number(given) || port);
      return ok(about, `${at} accepts connections`);
    } catch (error) {
      return wrong(about, `${at} can't be reached: ${wordsOf(error)}`, `start it, or repair ${setting}`);
    }
  });
  return Promise.all(checks);
}

function reach(host: string, port: number): Promise<void> {
  return new Promise((done, fail) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: connectMs });
    socket.once('connect', () => {
      socket.destroy();
      done();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', fail);
  });
}

async function databaseChecks(
  surroundings: Surroundings,
  config: Config,
  isServed: boolean,
): Promise<readonly Check[]> {
  const shutdown = createShutdown(createLogger({ level: 'silent' }));
  try {
    let place: DatabasePlace;
    try {
      place = await openDatabase(config, shutdown);
    } catch (error) {
      return [wrong('database', wordsOf(error), 'the sentence says what to set or start')];
    }
    const pool = createPool(place.url, { max: 2, name: 'gatebook doctor' });
    shutdown.add('pool', () => pool.end());
    const database = await databaseCheck(pool, place);
    if (database.state === 'wrong') return [database];
    const checks = [database, await clockCheck(pool), await diskCheck(pool, config, place)];
    const pending = await pendingOf(pool, config);
    checks.push(migrationsCheck(pending));
    // Opening the log would run them.
    if (pending.length > 0) return checks;
    const env = { ...surroundings.env, GATEBOOK_DATABASE_URL: place.url, GATEBOOK_DATABASE_URL_FILE: undefined };
    return [...checks, ...(await logChecks(env, isServed))];
  } finally {
    await shutdown.run();
  }
}

const kinds: Readonly<Record<DatabasePlace['kind'], string>> = {
  configured: 'of GATEBOOK_DATABASE_URL',
  running: 'embedded, kept by the running server',
  started: 'embedded, started for this check',
};

async function databaseCheck(pool: Pool, { kind }: DatabasePlace): Promise<Check> {
  try {
    const start = performance.now();
    const { rows } = await pool.query<{ server_version: string }>('show server_version');
    const ms = Math.round(performance.now() - start);
    const name = `Postgres ${rows[0]?.server_version} (${kinds[kind]}), answers in ${ms} ms`;
    const isOld = Number.parseInt(rows[0]?.server_version ?? '', 10) < oldestPostgres;
    return isOld ? wrong('database', name, `Postgres has to be ${oldestPostgres} or newer`) : ok('database', name);
  } catch (error) {
    return wrong('database', `it can't be reached: ${wordsOf(error)}`, 'start it, or repair GATEBOOK_DATABASE_URL');
  }
}

async function clockCheck(pool: Pool): Promise<Check> {
  const before = Date.now();
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  const here = (before + Date.now()) / 2;
  const differenceMs = Math.round(Math.abs((rows[0]?.now.getTime() ?? here) - here));
  const finding = `${count(differenceMs)} ms between this machine and the database`;
  return differenceMs > clockToleranceMs
    ? wrong('clock', finding, 'set both by NTP: tokens carry times')
    : ok('clock', finding);
}

async function diskCheck(pool: Pool, { dataDir }: Config, { kind }: DatabasePlace): Promise<Check> {
  const { rows } = await pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  const used = `the database takes ${gigabytes(Number(rows[0]?.bytes ?? 0))}`;
  if (kind === 'configured') return ok('disk', `${used}; its server has to be watched where it runs`);
  const { bavail, bsize } = await statfs(resolve(dataDir));
  const finding = `${used}, ${gigabytes(bavail * bsize)} are free`;
  return bavail * bsize < diskNeeded
    ? wrong('disk', finding, 'make room: a rebuild needs as much again as the read models')
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
  return (await hasPrivileges(pool, roleNames(database.rolePrefix), false)) ? [] : ['the privileges of the roles'];
}

function migrationsCheck(pending: readonly string[]): Check {
  if (pending.length === 0) return ok('migrations', 'all have run');
  return wrong('migrations', `${pending.join(', ')} have not run`, 'start Gatebook of this version: it runs them');
}

async function logChecks(env: Surroundings['env'], isServed: boolean): Promise<Check[]> {
  let operator: Operator;
  try {
    operator = await openOperator(env);
  } catch (error) {
    const isKeyUnknown = error instanceof UnknownMasterKeyError;
    const advice = isKeyUnknown ? 'is it the right GATEBOOK_MASTER_KEY?' : 'the sentence says what to set';
    return [wrong('log', wordsOf(error), advice)];
  }
  try {
    const { config, store, pool } = operator;
    const head = await store.head();
    try {
      // Opens what is encrypted, so that a wrong master key shows.
      await store.readAll(0n, 100);
    } catch (error) {
      return [
        wrong(
          'log',
          `its head is at ${count(head)}, but it can't be read: ${wordsOf(error)}`,
          'is it the right GATEBOOK_MASTER_KEY?',
        ),
      ];
    }
    return [
      ok(
        'log',
        `${config.eventStore.url === null ? 'in the database' : 'in EventStoreDB'}, its head is at ${count(head)}, and the master key opens it`,
      ),
      await masterKeyCheck(operator),
      ...(await subscriptionChecks(operator, isServed)),
      await leadersCheck(pool, isServed),
    ];
  } finally {
    await operator.close();
  }
}

/** A new master key is in force only once a command has put it in force. */
async function masterKeyCheck({ accountPool: pool, masterKey }: Operator): Promise<Check> {
  const [newest] = await masterKey();
  const id = newest ? masterKeyId(newest) : '';
  const others = await Promise.all(postgresWrappedKeys(pool).map((table) => table.listWrappedByOthers(id, '', 1)));
  return others.every((keys) => keys.length === 0)
    ? ok('master key', 'every key is wrapped by the newest one')
    : note('master key', 'keys are wrapped by a former one', 'run gatebook keys rotate master');
}

async function subscriptionChecks({ pool, store, sets }: Operator, isServed: boolean): Promise<Check[]> {
  const operations = () => operationsStatus(pool);
  const { subscriptions, projectionVersions } = await operationsAtHead({ operations, store });
  const checks = subscriptions.map(({ name, lag, error }) => {
    const about = `subscription ${name}`;
    if (error !== null) return wrong(about, error, 'repair the cause (newer code, often) and restart');
    const finding = lag === 0n ? 'up to date' : `${count(lag)} events behind`;
    if (lag < lagNoticed) return ok(about, finding);
    return isServed
      ? wrong(about, finding, 'look again in a moment: when it does not catch up, restart and read its log')
      : note(about, finding, 'it catches up when Gatebook runs');
  });
  const missing = sets
    .filter(({ name }) => !projectionVersions.some(({ set, state }) => set === name && state === 'live'))
    .map(({ name }) =>
      wrong(`subscription ${name}`, 'nothing of it can be read yet', 'start Gatebook and let it build'),
    );
  return [...checks, ...missing];
}

/** Those who lead hold an advisory lock, by the hash of their name. */
async function leadersCheck(pool: Pool, isServed: boolean): Promise<Check> {
  const names = ['projector', 'worker'];
  const { rows } = await pool.query<{ name: string }>(
    `select name from unnest($1::text[]) name
     where exists (select from pg_locks where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())
       and (classid::bigint << 32 | objid::bigint) = (hashtext('leader ' || name)::bigint))`,
    [names],
  );
  const leading = rows.map(({ name }) => name);
  const absent = names.filter((name) => !leading.includes(name));
  if (absent.length === 0) return ok('subscriptions', 'projector and worker are running');
  const finding = `no ${absent.join(' and no ')} is running`;
  return isServed ? wrong('subscriptions', finding, 'start one, or read its log') : note('subscriptions', finding);
}
