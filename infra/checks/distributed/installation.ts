import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLine } from '@gatebook/gatebook/testing/run-line';
import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { type DatabaseRole, type RoleNames, roleNames } from '@gatebook/runtime/database-roles';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { type Part, startPart, startRedis } from '../../testing/parts.ts';
import { internalKeys } from '../../testing/product.ts';

export const masterKey = Buffer.alloc(32, 7);
const passwords: Readonly<Record<DatabaseRole, string>> = {
  api: 'the password of the API',
  projector: 'the password of the projector',
  worker: 'the password of the worker',
};
export const redis = await startRedis();
if (redis === null && process.env.REQUIRE_REDIS)
  throw new Error('REQUIRE_REDIS is set, but redis-server is not installed');

/** Starts the store of the log. @returns its settings and a function that stops it */
export type StartLog = (
  folder: string,
) => Promise<{ settings: { GATEBOOK_EVENTSTORE_URL?: string }; close(): Promise<void> }>;

type Mails = Awaited<ReturnType<typeof startSmtpServer>>;

export type Installation = {
  database: TestDatabase;
  log: Awaited<ReturnType<StartLog>>;
  mails: Mails;
  settings: Readonly<Record<string, string>>;
  /** The roles of the database. */
  names: RoleNames;
  running: Set<Part>;
  /** `environment`: of this process only. */
  start(role: Part['role'], environment?: Readonly<Record<string, string>>): Promise<Part>;
  startTwo(role: Part['role']): Promise<[Part, Part]>;
  kill(part: Part): Promise<void>;
  leaderOf(parts: readonly Part[]): Promise<Part | undefined>;
  close(): Promise<void>;
};

/** Prepares a database for processes that only know the login of their role. */
export async function prepareInstallation(startLog: StartLog): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'gatebook-distributed-'));
  const [database, log, mails] = await Promise.all([testDatabase(), startLog(folder), startSmtpServer()]);
  // Roles are shared by all databases of the server, which other tests use too.
  const rolePrefix = `t${randomBytes(4).toString('hex')}`;
  const names = roleNames(rolePrefix);
  const settings = { ...log.settings, ...settingsOf(mails), GATEBOOK_DATABASE_ROLES: rolePrefix };
  await migrateInstallation(settings, database);
  const running = new Set<Part>();
  const start: Installation['start'] = async (role, environment = {}) => {
    const url = loginUrl(database, names, role);
    const part = await startPart(role, { ...settings, GATEBOOK_DATABASE_URL: url, ...environment });
    running.add(part);
    return part;
  };
  return {
    ...{ database, log, mails, settings, names, running, start },
    startTwo: (role) => Promise.all([start(role), start(role)]),
    kill: async (part) => {
      running.delete(part);
      await part.signal('SIGKILL');
    },
    leaderOf: async (parts) => {
      for (const part of parts) if (running.has(part) && (await part.isLeading())) return part;
      return undefined;
    },
    close: async () => {
      await Promise.all([...running].map((part) => part.signal('SIGKILL')));
      await mails.close();
      await log.close();
      await database.close();
      await dropRoles(names);
      await redis?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const settingsOf = (mails: Mails) => ({
  GATEBOOK_MASTER_KEY: masterKey.toString('base64'),
  GATEBOOK_PUBLIC_URL: 'http://localhost:8102',
  GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY: internalKeys.client,
  GATEBOOK_INTERNAL_SECRET_SERVER_KEY: internalKeys.server,
  GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY: internalKeys.admin,
  GATEBOOK_INTERNAL_SIGN_UP: 'open',
  GATEBOOK_RATE_LIMITS: 'off',
  GATEBOOK_LOG_LEVEL: 'warn',
  GATEBOOK_PROJECTION_SHARDS: '3',
  GATEBOOK_SMTP_URL: mails.url,
  ...(redis === null ? {} : { REDIS_URL: redis.url }),
});

async function migrateInstallation(settings: Installation['settings'], { url }: TestDatabase): Promise<void> {
  const { code, errors } = await runLine('migrate', {
    env: {
      ...settings,
      GATEBOOK_DATABASE_URL: url,
      GATEBOOK_DATABASE_API_PASSWORD: passwords.api,
      GATEBOOK_DATABASE_PROJECTOR_PASSWORD: passwords.projector,
      GATEBOOK_DATABASE_WORKER_PASSWORD: passwords.worker,
    },
  });
  if (code !== 0) throw new Error(errors);
}

function loginUrl(database: TestDatabase, names: RoleNames, role: DatabaseRole): string {
  const url = new URL(database.url);
  url.username = names[role];
  url.password = passwords[role];
  return url.href;
}

async function dropRoles(names: RoleNames): Promise<void> {
  const other = await testDatabase();
  for (const name of [names.worker, names.projector, names.api]) await other.pool.query(`drop role if exists ${name}`);
  await other.close();
}
