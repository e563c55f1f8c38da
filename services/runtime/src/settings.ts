import { z } from 'zod';
import { oauthSettings } from './oauth-config.ts';

/*
 * Every setting, by its name in the environment. docs/configuration.md is generated from these groups. `whenUnset`
 * describes the default of settings whose schema has none.
 */

const flag = z.enum(['on', 'off']).transform((value) => value === 'on');
const keyText = (prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[a-zA-Z0-9_-]{20,}$`), `must be ${prefix}_ and at least 20 letters, digits, _ or -`);
const port = z.coerce.number().int().min(1).max(65535);
const webUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''));
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' });

const databasePassword = z.string().min(20, 'must have at least 20 characters');
const headerName = z
  .string()
  .regex(/^[\w-]+$/, 'must be a header name')
  .transform((name) => name.toLowerCase());

const eventStoreUrl = z.string().regex(/^(esdb|kurrentdb)(\+discover)?:\/\/[^\s/]/, {
  error: 'must be an esdb:// or kurrentdb:// connection string',
});

/** Not `$`: names that begin with it belong to the server. */
const streamPrefix = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,49}$/, {
  error: 'must be 1 to 50 letters, digits, `_`, `.` or `-`, beginning with a letter or digit',
});

const masterKey = z
  .base64({ error: 'must be 32 bytes in base64' })
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64');

const serverSettings = {
  GATEBOOK_HOST: z.string().default('localhost').meta({
    description: 'Address to listen on. Use `0.0.0.0` for all interfaces.',
  }),
  GATEBOOK_PORT: port.default(8102).meta({ description: 'Port of the API and the dashboard.' }),
  GATEBOOK_HEALTH_PORT: port.optional().meta({
    description:
      'Port of `/health`, `/health/ready` and `/metrics` for operators. Do not make it public: `/metrics` needs no key.',
    whenUnset: '`8103` for a separate projector or worker; others have no such port',
  }),
  GATEBOOK_PUBLIC_URL: webUrl.optional().meta({
    description:
      'URL at which users and clients reach Gatebook. Tokens name it as their issuer, and links begin with it.',
    whenUnset: '`http://localhost:<port>`',
  }),
  GATEBOOK_TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    )
    .meta({
      description:
        'Addresses or networks of your proxies, separated by commas. Only their `x-forwarded-*` headers are trusted. The client is the last address that is not a trusted proxy.',
    }),
  GATEBOOK_CLIENT_ADDRESS_HEADER: headerName.optional().meta({
    description:
      'Header in which your trusted proxies send the client address, such as `cf-connecting-ip`. Set it only if they overwrite the value that clients send.',
  }),
  GATEBOOK_CLIENT_COUNTRY_HEADER: headerName.optional().meta({
    description: 'Header in which your trusted proxies send the client country as two letters, such as `cf-ipcountry`.',
  }),
  GATEBOOK_RATE_LIMITS: flag.default(true).meta({
    description: '`on` or `off`. Turn [rate limits](rate-limits.md) off only for load tests.',
  }),
};

const databaseSettings = {
  GATEBOOK_DATA_DIR: z.string().default('.gatebook').meta({
    description: 'Folder of the embedded Postgres, the master key, the keys of project `internal` and the local inbox.',
  }),
  GATEBOOK_DATABASE_URL: postgresUrl.optional().meta({
    description: '`postgres://` URL of your own Postgres server (version 14 or later).',
    whenUnset: 'the embedded Postgres',
  }),
  GATEBOOK_DATABASE_ROLES: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,49}$/, 'must be lowercase letters, digits and _, or off')
    .default('gatebook')
    .meta({
      description:
        'Prefix of the three [database roles](operations.md#database-roles). With `off`, every process uses the full privileges of its account.',
    }),
  GATEBOOK_DATABASE_API_PASSWORD: databasePassword.optional().meta({
    description: 'Password with which `gatebook migrate` creates a login for the API role. At least 20 characters.',
  }),
  GATEBOOK_DATABASE_PROJECTOR_PASSWORD: databasePassword.optional().meta({
    description: 'The same for the projector role.',
  }),
  GATEBOOK_DATABASE_WORKER_PASSWORD: databasePassword.optional().meta({
    description: 'The same for the worker role.',
  }),
  GATEBOOK_EVENTSTORE_URL: eventStoreUrl.optional().meta({
    description:
      '`esdb://` or `kurrentdb://` connection string. Events are stored there instead of in Postgres. Connections use TLS unless the string contains `tls=false`. Choose before the first start.',
    whenUnset: 'the log is in Postgres',
  }),
  GATEBOOK_EVENTSTORE_USER: z.string().min(1).optional().meta({
    description: 'User name for EventStoreDB, instead of one in the connection string.',
  }),
  GATEBOOK_EVENTSTORE_PASSWORD: z.string().min(1).optional().meta({
    description: 'Password of that user.',
  }),
  GATEBOOK_EVENTSTORE_PREFIX: streamPrefix.optional().meta({
    description:
      'Prefix of the names of all streams in EventStoreDB, such as `gatebook_`. Set one if the server stores the streams of other programs too. Choose before the first start.',
    whenUnset: 'no prefix',
  }),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a redis:// URL' })
    .optional()
    .meta({
      description: '`redis://` URL. Queues are kept there, and all API processes share their rate limit counters.',
      whenUnset: 'queues are in Postgres, counters in memory',
    }),
};

const keySettings = {
  GATEBOOK_MASTER_KEY: masterKey.optional().meta({
    description:
      '32 bytes in base64 that wrap every other key. Without this key all personal data is lost, so keep a copy.',
    whenUnset: 'created in the data folder at the first start',
  }),
  // Separated by commas or line breaks, so that a file can have one key on each line.
  GATEBOOK_FORMER_MASTER_KEYS: z
    .string()
    .default('')
    .transform((list) => list.split(/[,\s]+/).filter(Boolean))
    .pipe(z.array(masterKey))
    .meta({
      description:
        'Replaced master keys, separated by commas or line breaks. They are needed until `gatebook keys rotate master` is done: see [Rotate keys](operations.md#rotate-keys).',
    }),
  GATEBOOK_ACCESS_TOKEN_SECONDS: z.coerce.number().int().min(61).max(3600).default(600).meta({
    // Clients ask for tokens that live 60 s and more (protocol, conventions §4.1).
    description:
      'Lifetime of an access token, from 61 to 3600 seconds. A project can set its own (`access_token_lifetime_seconds`).',
  }),
  GATEBOOK_BACKUP_DUE_DAYS: z.coerce.number().int().min(0).max(365).default(7).meta({
    description:
      'Days after which the last `gatebook backup` is reported as too old. 0 if backups are made by other means: it is never reported.',
  }),
  GATEBOOK_PROJECTION_SHARDS: z.coerce.number().int().min(1).max(64).default(1).meta({
    description:
      'Number of shards that project the read models of the API, from 1 to 64. Projects are divided among them by a hash. Another number builds the read models again, beside the live ones. Use the same number in every process.',
  }),
  GATEBOOK_HISTORY: flag.default(true).meta({
    description:
      '`on` or `off`. With `on`, the state of every project [as of any moment](operations.md#the-past) can be read. It takes about as much disk space as the log. With `off`, what was kept is deleted; it is built again from the log when it is turned on. Use the same value in every process.',
  }),
  GATEBOOK_HASH_CONCURRENCY: z.coerce.number().int().min(1).max(64).optional().meta({
    description:
      'Number of passwords hashed at the same time, from 1 to 64. On Linux, the threads that hash have a low priority, so requests and the database go first.',
    whenUnset: 'number of cores on Linux, otherwise one less',
  }),
};

const internalSettings = {
  GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY: keyText('pck').optional().meta({
    description: 'Publishable client key of project `internal` (`pck_…`). The dashboard uses it.',
    whenUnset: 'created at the first start',
  }),
  GATEBOOK_INTERNAL_SECRET_SERVER_KEY: keyText('ssk').optional().meta({
    description: 'Secret server key of project `internal` (`ssk_…`).',
    whenUnset: 'created at the first start',
  }),
  GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY: keyText('sak').optional().meta({
    description: 'Super secret admin key of project `internal` (`sak_…`).',
    whenUnset: 'created at the first start',
  }),
  GATEBOOK_INTERNAL_SIGN_UP: z.enum(['closed', 'open']).default('closed').meta({
    description: 'With `open`, anyone can sign up to the dashboard and create projects.',
  }),
};

const emailSettings = {
  GATEBOOK_SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })
    .optional()
    .meta({
      description:
        '`smtp://user:password@host:port` or `smtps://…`: the email server of projects that do not have their own.',
      whenUnset: 'a local inbox at `/inbox`',
    }),
  GATEBOOK_EMAIL_FROM: z.email({ error: 'must be an email address' }).optional().meta({
    description: 'Sender address of these emails.',
    whenUnset: '`gatebook@<host of the public URL>`',
  }),
  GATEBOOK_PRIVATE_TARGETS: flag.optional().meta({
    description:
      '`on` or `off`: whether Gatebook sends requests to URLs of projects in private networks, such as the former system of a migration or an OpenID Connect provider. Link-local and cloud metadata addresses are always rejected.',
    whenUnset: '`on` if the public URL is localhost, else `off`',
  }),
  GATEBOOK_PRIVATE_MAIL_SERVERS: flag.optional().meta({
    description:
      '`on` or `off`: whether a project can use an email server in a private network. Link-local and cloud metadata addresses are always rejected.',
    whenUnset: '`on` if the public URL is localhost, else `off`',
  }),
};

const logSettings = {
  GATEBOOK_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional().meta({
    description:
      '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. Log lines are JSON on standard error.',
    whenUnset: '`warn` with the embedded Postgres, else `info`',
  }),
};

/** In the order of docs/configuration.md. */
export const settingGroups = [
  { title: 'Server', settings: serverSettings },
  { title: 'Storage', settings: databaseSettings },
  { title: 'Keys and tokens', settings: keySettings },
  { title: 'Project `internal`', settings: internalSettings },
  { title: 'Email', settings: emailSettings },
  { title: 'OAuth providers', settings: oauthSettings },
  { title: 'Log', settings: logSettings },
] as const;

/** `GATEBOOK_X_FILE` names a file that contains `GATEBOOK_X`. */
export const settings = z.object({
  ...serverSettings,
  ...databaseSettings,
  ...keySettings,
  ...internalSettings,
  ...emailSettings,
  ...oauthSettings,
  ...logSettings,
});
