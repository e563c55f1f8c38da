import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isLoopbackHost } from './loopback.ts';
import { groupOAuth, oauthSettings } from './oauth-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a process does: everything, or its part of a distributed run. */
export const roles = ['all', 'api', 'projector', 'worker'] as const;
export type Role = (typeof roles)[number];

const flag = z.enum(['on', 'off']).transform((value) => value === 'on');
const keyText = (prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[a-zA-Z0-9_-]{20,}$`), `must be ${prefix}_ and at least 20 letters, digits, _ or -`);
const webUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''));
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' });

const databasePassword = z.string().min(20, 'must have at least 20 characters');
const headerName = z
  .string()
  .regex(/^[\w-]+$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase());

const eventStoreUrl = z.string().regex(/^(esdb|kurrentdb)(\+discover)?:\/\/[^\s/]/, {
  error: 'must be an esdb:// or kurrentdb:// connection string',
});

const masterKey = z
  .base64({ error: 'must be 32 bytes in base64' })
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64');

/** Every setting of a deployer, by its name in the environment. `GATEBOOK_X_FILE` names a file that holds `GATEBOOK_X`. */
const settings = z.object({
  GATEBOOK_HOST: z.string().default('localhost'),
  GATEBOOK_PORT: z.coerce.number().int().min(1).max(65535).default(8102),
  GATEBOOK_HEALTH_PORT: z.coerce.number().int().min(1).max(65535).default(8103),
  GATEBOOK_PUBLIC_URL: webUrl.optional(),
  GATEBOOK_TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    ),
  GATEBOOK_CLIENT_ADDRESS_HEADER: headerName.optional(),
  GATEBOOK_CLIENT_COUNTRY_HEADER: headerName.optional(),
  GATEBOOK_DATA_DIR: z.string().default('.gatebook'),
  GATEBOOK_DATABASE_URL: postgresUrl.optional(),
  GATEBOOK_DATABASE_ROLES: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,49}$/, 'must be lowercase letters, digits and _, or off')
    .default('gatebook'),
  GATEBOOK_DATABASE_API_PASSWORD: databasePassword.optional(),
  GATEBOOK_DATABASE_PROJECTOR_PASSWORD: databasePassword.optional(),
  GATEBOOK_DATABASE_WORKER_PASSWORD: databasePassword.optional(),
  GATEBOOK_EVENTSTORE_URL: eventStoreUrl.optional(),
  GATEBOOK_MASTER_KEY: masterKey.optional(),
  // Separated by commas or line breaks, so that a file can have one on each line.
  GATEBOOK_FORMER_MASTER_KEYS: z
    .string()
    .default('')
    .transform((list) => list.split(/[,\s]+/).filter(Boolean))
    .pipe(z.array(masterKey)),
  GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY: keyText('pck').optional(),
  GATEBOOK_INTERNAL_SECRET_SERVER_KEY: keyText('ssk').optional(),
  GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY: keyText('sak').optional(),
  GATEBOOK_INTERNAL_SIGN_UP: z.enum(['closed', 'open']).default('closed'),
  GATEBOOK_RATE_LIMITS: flag.default(true),
  // Clients ask for tokens that live 60 s and more (protocol, conventions §4.1).
  GATEBOOK_ACCESS_TOKEN_SECONDS: z.coerce.number().int().min(61).max(3600).default(600),
  GATEBOOK_HASH_CONCURRENCY: z.coerce.number().int().min(1).max(64).optional(),
  GATEBOOK_SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
  GATEBOOK_EMAIL_FROM: z.email({ error: 'must be an e-mail address' }).optional(),
  GATEBOOK_PRIVATE_MAIL_SERVERS: flag.optional(),
  ...oauthSettings,
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// URL' }).optional(),
  GATEBOOK_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
});

export type Config = ReturnType<typeof group>;
export type SettingName = keyof typeof settings.shape;

/**
 * What a process of a distributed run can't make up for itself: its peers have to have the same. The address that people use
 * is in tokens and links, says whom mails come from, and whether mail servers may be private.
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

/** One sentence per fault, all faults of the environment at once. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length === 1 ? 'a fault' : 'faults'}: ${faults.join('; ')}.`);
    this.name = 'ConfigError';
  }
}

/** The only reader of the environment. Empty values count as absent. @throws ConfigError */
export function readConfig(env: Environment, role: Role = 'all'): Config {
  const faults: string[] = [];
  const given: Record<string, string> = {};
  for (const name of Object.keys(settings.shape)) {
    const value = env[name] || readFromFile(env, name, faults);
    if (value) given[name] = value;
  }
  for (const name of Object.keys(env)) {
    const setting = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : name;
    if (name.startsWith('GATEBOOK_') && !(setting in settings.shape))
      faults.push(`${name} is not a setting of Gatebook`);
  }
  for (const name of neededSettings[role]) {
    if (!given[name] && !env[`${name}_FILE`]) faults.push(`${name} is missing, which the role ${role} needs`);
  }
  const parsed = settings.safeParse(given);
  if (!parsed.success) faults.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  if (parsed.success) faults.push(...groupOAuth(parsed.data).faults, ...headersWithoutProxies(parsed.data));
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  return group(parsed.data);
}

/** Anybody could set such a header on a server that trusts no proxy. */
function headersWithoutProxies(given: z.infer<typeof settings>): string[] {
  if (given.GATEBOOK_TRUSTED_PROXIES.length > 0) return [];
  return (['GATEBOOK_CLIENT_ADDRESS_HEADER', 'GATEBOOK_CLIENT_COUNTRY_HEADER'] as const)
    .filter((name) => given[name] !== undefined)
    .map((name) => `${name} needs GATEBOOK_TRUSTED_PROXIES, because only a proxy’s header is believed`);
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

function group(given: z.infer<typeof settings>) {
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
    health: { port: given.GATEBOOK_HEALTH_PORT },
    dataDir: given.GATEBOOK_DATA_DIR,
    database: {
      url: given.GATEBOOK_DATABASE_URL ?? null,
      /** What the names of the roles begin with; null: every process acts as the account of the URL. */
      rolePrefix: given.GATEBOOK_DATABASE_ROLES === 'off' ? null : given.GATEBOOK_DATABASE_ROLES,
      /** Of the logins that `gatebook migrate` gives the roles. */
      passwords: {
        api: given.GATEBOOK_DATABASE_API_PASSWORD,
        projector: given.GATEBOOK_DATABASE_PROJECTOR_PASSWORD,
        worker: given.GATEBOOK_DATABASE_WORKER_PASSWORD,
      },
    },
    eventStore: { url: given.GATEBOOK_EVENTSTORE_URL ?? null },
    encryption: { masterKey: given.GATEBOOK_MASTER_KEY ?? null, formerMasterKeys: given.GATEBOOK_FORMER_MASTER_KEYS },
    internal: {
      publishableClientKey: given.GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY ?? null,
      secretServerKey: given.GATEBOOK_INTERNAL_SECRET_SERVER_KEY ?? null,
      superSecretAdminKey: given.GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY ?? null,
      signUp: given.GATEBOOK_INTERNAL_SIGN_UP,
    },
    rateLimits: { isEnabled: given.GATEBOOK_RATE_LIMITS },
    tokens: { accessTokenSeconds: given.GATEBOOK_ACCESS_TOKEN_SECONDS },
    hashing: { concurrency: given.GATEBOOK_HASH_CONCURRENCY ?? null },
    smtp: {
      // A project's mail server in a private network: on a developer's machine yes, among strangers no.
      projectsMayUsePrivateHosts: given.GATEBOOK_PRIVATE_MAIL_SERVERS ?? isLoopbackHost(new URL(publicUrl).hostname),
      url: given.GATEBOOK_SMTP_URL ?? null,
      from: given.GATEBOOK_EMAIL_FROM ?? `gatebook@${new URL(publicUrl).hostname}`,
    },
    oauth: groupOAuth(given).oauth,
    redis: { url: given.REDIS_URL ?? null },
    // Embedded, somebody watches the terminal and wants the start's block, not a line per step.
    log: { level: given.GATEBOOK_LOG_LEVEL ?? (given.GATEBOOK_DATABASE_URL ? 'info' : 'warn') },
  };
}
