import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { isLoopbackHost } from './loopback.ts';
import { groupOAuth } from './oauth-config.ts';
import { settings } from './settings.ts';
import { readTraceConfig } from './trace-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a process does: everything, or its part of a distributed run. */
export const roles = ['all', 'api', 'projector', 'worker'] as const;
export type Role = (typeof roles)[number];

export type Config = ReturnType<typeof readConfig>;
export type SettingName = keyof typeof settings.shape;

/**
 * The settings that a process of a distributed run can't create for itself, because its peers need the same values. The
 * public URL is in tokens and links, and gives the defaults for the sender address and for private email servers.
 */
export const neededSettings: Readonly<Record<Role, readonly SettingName[]>> = {
  all: [],
  api: [
    'GATEBOOK_DATABASE_URL',
    'GATEBOOK_MASTER_KEY',
    'GATEBOOK_PUBLIC_URL',
    'GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY',
    'GATEBOOK_INTERNAL_SECRET_SERVER_KEY',
    'GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY',
  ],
  projector: ['GATEBOOK_DATABASE_URL', 'GATEBOOK_MASTER_KEY'],
  worker: ['GATEBOOK_DATABASE_URL', 'GATEBOOK_MASTER_KEY', 'GATEBOOK_PUBLIC_URL'],
};

/** Lists all faults of the environment, one sentence each. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`Invalid configuration: ${faults.join('; ')}.`);
    this.name = 'ConfigError';
  }
}

/** The only reader of the environment. Empty values count as absent. @throws ConfigError */
export function readConfig(env: Environment, role: Role = 'all') {
  const { tracing, faults } = readTraceConfig(env);
  const given: Record<string, string> = {};
  for (const name of Object.keys(settings.shape)) {
    const value = env[name] || readFromFile(env, name, faults);
    if (value) given[name] = value;
  }
  for (const name of Object.keys(env)) {
    const setting = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : name;
    if (name.startsWith('GATEBOOK_') && !(setting in settings.shape)) faults.push(`${name} is not a Gatebook setting`);
  }
  for (const name of neededSettings[role]) {
    if (!given[name] && !env[`${name}_FILE`]) faults.push(`${name} is required for role ${role}`);
  }
  const parsed = settings.safeParse(given);
  if (!parsed.success) faults.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  if (parsed.success)
    faults.push(
      ...groupOAuth(parsed.data).faults,
      ...headersWithoutProxies(parsed.data),
      ...incompleteEventStoreUser(parsed.data),
    );
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  return {
    ...group(parsed.data, role),
    /** Null: nothing is traced. */
    tracing,
  };
}

/** Without a trusted proxy, any client could set such a header. */
function headersWithoutProxies(given: z.infer<typeof settings>): string[] {
  if (given.GATEBOOK_TRUSTED_PROXIES.length > 0) return [];
  return (['GATEBOOK_CLIENT_ADDRESS_HEADER', 'GATEBOOK_CLIENT_COUNTRY_HEADER'] as const)
    .filter((name) => given[name] !== undefined)
    .map((name) => `${name} requires GATEBOOK_TRUSTED_PROXIES, because only headers of a trusted proxy are used`);
}

/** The connection string with the user name and password of the separate settings. */
function eventStoreUrlOf(given: z.infer<typeof settings>): string | null {
  const {
    GATEBOOK_EVENTSTORE_URL: url,
    GATEBOOK_EVENTSTORE_USER: user,
    GATEBOOK_EVENTSTORE_PASSWORD: password,
  } = given;
  if (url === undefined) return null;
  if (user === undefined || password === undefined) return url;
  return url.replace('://', `://${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
}

/** A user name and a password belong together, and are given once. */
function incompleteEventStoreUser(given: z.infer<typeof settings>): string[] {
  const [user, password] = ['GATEBOOK_EVENTSTORE_USER', 'GATEBOOK_EVENTSTORE_PASSWORD'] as const;
  const isSet = [given[user] !== undefined, given[password] !== undefined];
  if (!isSet.includes(true)) return [];
  if (isSet.includes(false)) return [`${isSet[0] ? user : password} requires ${isSet[0] ? password : user}`];
  if (given.GATEBOOK_EVENTSTORE_URL === undefined) return [`${user} requires GATEBOOK_EVENTSTORE_URL`];
  const hasOne = given.GATEBOOK_EVENTSTORE_URL.includes('@');
  return hasOne ? [`${user}: GATEBOOK_EVENTSTORE_URL has a user name already: remove one of them`] : [];
}

function readFromFile(env: Environment, name: string, faults: string[]): string | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    faults.push(`${name}_FILE: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

const defaultHealthPort = 8103;

function group(given: z.infer<typeof settings>, role: Role) {
  const hasApi = role === 'all' || role === 'api';
  const publicUrl = given.GATEBOOK_PUBLIC_URL ?? `http://localhost:${given.GATEBOOK_PORT}`;
  return {
    http: {
      host: given.GATEBOOK_HOST,
      port: given.GATEBOOK_PORT,
      publicUrl,
      trustedProxies: given.GATEBOOK_TRUSTED_PROXIES,
      clientHeaders: {
        address: given.GATEBOOK_CLIENT_ADDRESS_HEADER ?? null,
        country: given.GATEBOOK_CLIENT_COUNTRY_HEADER ?? null,
      },
    },
    /** Null: no such port. */
    health: { port: given.GATEBOOK_HEALTH_PORT ?? (hasApi ? null : defaultHealthPort) },
    dataDir: given.GATEBOOK_DATA_DIR,
    database: {
      url: given.GATEBOOK_DATABASE_URL ?? null,
      /** Prefix of the role names; null: every process acts as the account of the URL. */
      rolePrefix: given.GATEBOOK_DATABASE_ROLES === 'off' ? null : given.GATEBOOK_DATABASE_ROLES,
      /** Passwords of the logins that `gatebook migrate` creates for the roles. */
      passwords: {
        api: given.GATEBOOK_DATABASE_API_PASSWORD,
        projector: given.GATEBOOK_DATABASE_PROJECTOR_PASSWORD,
        worker: given.GATEBOOK_DATABASE_WORKER_PASSWORD,
      },
    },
    eventStore: { url: eventStoreUrlOf(given), streamPrefix: given.GATEBOOK_EVENTSTORE_PREFIX ?? '' },
    encryption: { masterKey: given.GATEBOOK_MASTER_KEY ?? null, formerMasterKeys: given.GATEBOOK_FORMER_MASTER_KEYS },
    internal: {
      publishableClientKey: given.GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY ?? null,
      secretServerKey: given.GATEBOOK_INTERNAL_SECRET_SERVER_KEY ?? null,
      superSecretAdminKey: given.GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY ?? null,
      signUp: given.GATEBOOK_INTERNAL_SIGN_UP,
    },
    rateLimits: { isEnabled: given.GATEBOOK_RATE_LIMITS },
    tokens: { accessTokenSeconds: given.GATEBOOK_ACCESS_TOKEN_SECONDS },
    /** Null: backups are made by other means. */
    backups: { dueDays: given.GATEBOOK_BACKUP_DUE_DAYS === 0 ? null : given.GATEBOOK_BACKUP_DUE_DAYS },
    projection: { shards: given.GATEBOOK_PROJECTION_SHARDS },
    history: { isKept: given.GATEBOOK_HISTORY },
    hashing: { concurrency: given.GATEBOOK_HASH_CONCURRENCY ?? null },
    outgoing: { allowPrivate: given.GATEBOOK_PRIVATE_TARGETS ?? isLoopbackHost(new URL(publicUrl).hostname) },
    smtp: {
      // Allow projects' email servers in private networks on a developer's machine only.
      projectsMayUsePrivateHosts: given.GATEBOOK_PRIVATE_MAIL_SERVERS ?? isLoopbackHost(new URL(publicUrl).hostname),
      url: given.GATEBOOK_SMTP_URL ?? null,
      from: given.GATEBOOK_EMAIL_FROM ?? `gatebook@${new URL(publicUrl).hostname}`,
    },
    oauth: groupOAuth(given).oauth,
    redis: { url: given.REDIS_URL ?? null },
    // With the embedded Postgres, a person reads the terminal: print the start summary, not a line per step.
    log: { level: given.GATEBOOK_LOG_LEVEL ?? (given.GATEBOOK_DATABASE_URL ? 'info' : 'warn') },
  };
}
