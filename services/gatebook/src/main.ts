import { join } from 'node:path';
import { type Config, ConfigError, type Role, readConfig, roles } from '@gatebook/runtime/config';
import { createLogger, type Logger } from '@gatebook/runtime/logger';
import { createShutdown, type Shutdown } from '@gatebook/runtime/shutdown';
import {
  claimDataFolder,
  findInternalKeys,
  findMasterKeys,
  openDataFolder,
  readMasterKeys,
  StartError,
} from './embedded/data-folder.ts';
import { startSimulator } from './embedded/simulator-provider.ts';
import { describeApiStart, describeStart } from './embedded/start-text.ts';

/** Ctrl-C twice ends at once. */
const forcedExitCode = 130;

try {
  await start();
} catch (error) {
  const isForPeople = error instanceof ConfigError || error instanceof StartError;
  process.stderr.write(`Gatebook does not start. ${isForPeople ? error.message : describeFault(error)}\n`);
  process.exit(1);
}

type Parts = { config: Config; logger: Logger; shutdown: Shutdown; say: (line: string) => void };

async function start(): Promise<void> {
  const role = readRole(process.argv.slice(2));
  const config = readConfig(process.env, role);
  const logger = createLogger(config.log);
  const shutdown = createShutdown(logger);
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const stop = async (code: number) => {
    const isClean = await shutdown.run();
    process.exit(isClean ? code : 1);
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      say('\nStopping …');
      process.once('SIGINT', () => process.exit(forcedExitCode));
      void stop(0);
    });
  }
  const parts = { config, logger, shutdown, say };
  try {
    if (role === 'all') await startEverything(parts, stop);
    else await startRole(role, parts);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** @throws StartError */
function readRole([role = 'all', ...rest]: readonly string[]): Role {
  const known = roles.find((name) => name === role);
  if (known === undefined || rest.length > 0) {
    throw new StartError(`It takes one word for what this process does (${roles.join(', ')}), or none for all of it.`);
  }
  return known;
}

/** One process for all of it, on the database that comes along unless the configuration names another. */
async function startEverything({ config, logger, shutdown, say }: Parts, stop: (code: number) => Promise<void>) {
  const onProgress = (step: string) => say(`Gatebook: ${step} …`);
  const dataDir = await openDataFolder(config.dataDir);
  shutdown.add('data folder', await claimDataFolder(dataDir));
  // Both take their time, and neither needs the other.
  const composing = import('./compose.ts');
  const [masterKey, internalKeys, databaseUrl, simulator] = await Promise.all([
    findMasterKeys(dataDir, config.encryption),
    findInternalKeys(dataDir, config.internal),
    config.database.url ?? startDatabase(),
    startSimulator(config),
  ]);
  if (simulator) shutdown.add('simulator provider', () => simulator.close());
  const inbox = config.smtp.url === null && config.database.url === null ? await openInbox() : null;
  const { startGatebook } = await composing;
  const write = await startGatebook('all', {
    config: simulator ? { ...config, oauth: simulator.oauth } : config,
    databaseUrl,
    isEmbedded: config.database.url === null,
    masterKey,
    internalKeys,
    logger,
    shutdown,
    onProgress,
    inbox,
  });
  const { issueOwnerSetup } = await import('@gatebook/commands/project/owner-setup');
  const setup = write && (await issueOwnerSetup(write));
  say(
    describeStart({
      publicUrl: config.http.publicUrl,
      dataDir,
      setupToken: setup?.token ?? null,
      hasInbox: inbox !== null,
      simulatorUrl: simulator?.url ?? null,
    }),
  );

  async function openInbox() {
    const { startInbox } = await import('./embedded/inbox.ts');
    const opened = await startInbox(join(dataDir, 'inbox'));
    shutdown.add('inbox', () => opened.close());
    return opened;
  }

  async function startDatabase(): Promise<string> {
    const { startEmbeddedPostgres, ensureDatabase } = await import('./embedded/postgres.ts');
    const server = await startEmbeddedPostgres({
      dataDir: join(dataDir, 'postgres'),
      onProgress,
    });
    shutdown.add('database', () => server.stop());
    await ensureDatabase(server, 'gatebook');
    let isStopping = false;
    shutdown.add('database watch', () => {
      isStopping = true;
    });
    void server.ended.then(() => {
      if (isStopping) return;
      process.stderr.write('Gatebook stops: its database has ended. Start it again; nothing is lost.\n');
      void stop(1);
    });
    return server.url('gatebook');
  }
}

/** A part of a distributed run: everything comes from the configuration, which has been seen to be whole, and nothing is kept here. */
async function startRole(role: Exclude<Role, 'all'>, { config, logger, shutdown, say }: Parts): Promise<void> {
  const { database, encryption, internal, http, health } = config;
  if (database.url === null || encryption.masterKey === null)
    throw new Error(`the configuration of ${role} is not whole`);
  const { publishableClientKey, secretServerKey, superSecretAdminKey } = internal;
  const hasKeys = publishableClientKey !== null && secretServerKey !== null && superSecretAdminKey !== null;
  const { startGatebook } = await import('./compose.ts');
  const write = await startGatebook(role, {
    config,
    databaseUrl: database.url,
    isEmbedded: false,
    masterKey: await readMasterKeys(config.dataDir, encryption),
    internalKeys: hasKeys ? { publishableClientKey, secretServerKey, superSecretAdminKey } : null,
    logger,
    shutdown,
    onProgress: (step) => say(`Gatebook ${role}: ${step} …`),
    inbox: null,
  });
  if (write === null)
    return say(`Gatebook ${role} is running; ${http.host}:${health.port}/health/ready says how it is.`);
  const { issueOwnerSetup } = await import('@gatebook/commands/project/owner-setup');
  const setup = await issueOwnerSetup(write);
  say(describeApiStart({ ...http, setupToken: setup?.token ?? null }));
}

/** Faults of the outside world in plain words; anything else is a bug and shows its stack. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') return 'Its port is taken by another program: stop that one or set GATEBOOK_PORT.';
  if (code === 'EACCES')
    return `It may not listen on its port (${error.message}): set GATEBOOK_PORT to one above 1023.`;
  if (['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', '28P01', '3D000'].includes(code)) {
    return `The database of GATEBOOK_DATABASE_URL can't be reached: ${error.message || code}.`;
  }
  if (error.name === 'LogUnavailableError') return "The log at GATEBOOK_EVENTSTORE_URL can't be reached.";
  if (/master key/i.test(error.message)) {
    return 'The master key is not the one that this data was encrypted with: set GATEBOOK_MASTER_KEY to the right one, or add that one to GATEBOOK_FORMER_MASTER_KEYS.';
  }
  return error.stack ?? error.message;
}
