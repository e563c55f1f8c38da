import { join } from 'node:path';
import { type Config, ConfigError, type Role, readConfig, roles } from '@gatebook/runtime/config';
import { tryPort } from '@gatebook/runtime/free-port';
import { noTracers, type Tracers } from '@gatebook/runtime/instruments';
import { createLogger, type Logger } from '@gatebook/runtime/logger';
import { createShutdown, type Shutdown } from '@gatebook/runtime/shutdown';
import {
  findInternalKeys,
  findMasterKeys,
  lockDataFolder,
  openDataFolder,
  readMasterKeys,
  StartError,
} from './embedded/data-folder.ts';
import { startSimulator } from './embedded/simulator-provider.ts';
import { describeApiStart, describeStart } from './embedded/start-text.ts';

/** Exit code after a second Ctrl-C. */
const forcedExitCode = 130;

try {
  await start();
} catch (error) {
  const isUserError = error instanceof ConfigError || error instanceof StartError;
  process.stderr.write(`Gatebook could not start. ${isUserError ? error.message : describeError(error)}\n`);
  process.exit(1);
}

type Parts = {
  config: Config;
  logger: Logger;
  shutdown: Shutdown;
  tracers: Tracers;
  print: (line: string) => void;
};

async function start(): Promise<void> {
  const role = readRole(process.argv.slice(2));
  const config = readConfig(process.env, role);
  // Imported only if needed, because it loads OpenTelemetry.
  const traces = config.tracing && (await import('./observability/traces.ts')).startTraces(config.tracing, role);
  const logger = createLogger({ ...config.log, ...(traces && { fields: traces.logFields }) });
  const shutdown = createShutdown(logger);
  if (traces) {
    traces.reportProblemsTo(logger);
    shutdown.add('traces', () => traces.close());
  }
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const stop = async (code: number) => {
    const isClean = await shutdown.run();
    process.exit(isClean ? code : 1);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      print('\nStopping …');
      process.once('SIGINT', () => process.exit(forcedExitCode));
      void stop(0);
    });
  }
  const parts = { config, logger, shutdown, tracers: traces?.tracers ?? noTracers, print };
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
    throw new StartError(`Expected at most one argument, the role of this process: ${roles.join(', ')}.`);
  }
  return known;
}

/** Runs all roles in one process, with the embedded database unless another one is configured. */
async function startEverything(
  { config, logger, shutdown, tracers, print }: Parts,
  stop: (code: number) => Promise<void>,
) {
  const onProgress = (step: string) => print(`Gatebook: ${step} …`);
  const dataDir = await openDataFolder(config.dataDir);
  shutdown.add('data folder', await lockDataFolder(dataDir));
  await tryPort(config.http);
  const [masterKey, internalKeys, databaseUrl, simulator] = await Promise.all([
    findMasterKeys(dataDir, config.encryption),
    findInternalKeys(dataDir, config.internal),
    config.database.url ?? startDatabase(),
    startSimulator(config),
  ]);
  if (simulator) shutdown.add('simulator provider', () => simulator.close());
  const inbox = config.smtp.url === null && config.database.url === null ? await openInbox() : null;
  const { startGatebook } = await loadModules();
  const write = await startGatebook('all', {
    config: simulator ? { ...config, oauth: simulator.oauth } : config,
    databaseUrl,
    isEmbedded: config.database.url === null,
    masterKey,
    internalKeys,
    logger,
    tracers,
    shutdown,
    onProgress,
    inbox,
  });
  const { issueOwnerSetup } = await import('@gatebook/commands/project/owner-setup');
  const setup = write && (await issueOwnerSetup(write));
  print(
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
      // While the server starts, on another core.
      onSpawn: () => void loadModules(),
    });
    shutdown.add('database', () => server.stop());
    await ensureDatabase(server, 'gatebook');
    let isStopping = false;
    shutdown.add('database watch', () => {
      isStopping = true;
    });
    void server.ended.then(() => {
      if (isStopping) return;
      process.stderr.write('Gatebook stops because its database has stopped. Start it again; no data is lost.\n');
      void stop(1);
    });
    return server.url('gatebook');
  }
}

/** Everything that the roles need once there is a database. */
async function loadModules(): Promise<typeof import('./compose.ts')> {
  const [compose] = await Promise.all([
    import('./compose.ts'),
    import('./roles/core.ts'),
    import('./roles/api.ts'),
    import('./roles/projector.ts'),
    import('./roles/worker.ts'),
  ]);
  return compose;
}

/**
 * Runs one role. The configuration has everything it needs (it has been validated); nothing is stored on this machine.
 */
async function startRole(
  role: Exclude<Role, 'all'>,
  { config, logger, shutdown, tracers, print }: Parts,
): Promise<void> {
  const { database, encryption, internal, http, health } = config;
  if (database.url === null || encryption.masterKey === null)
    throw new Error(`the configuration of ${role} is incomplete`);
  if (role === 'api') await tryPort(http);
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
    tracers,
    shutdown,
    onProgress: (step) => print(`Gatebook ${role}: ${step} …`),
    inbox: null,
  });
  if (write === null) return print(`Gatebook ${role} is running. Health: ${http.host}:${health.port}/health/ready`);
  const { issueOwnerSetup } = await import('@gatebook/commands/project/owner-setup');
  const setup = await issueOwnerSetup(write);
  print(describeApiStart({ ...http, setupToken: setup?.token ?? null }));
}

/** Explains errors of the environment. Other errors are bugs and are shown with their stack. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') return 'Its port is in use by another program: stop that program or set GATEBOOK_PORT.';
  if (code === 'EACCES')
    return `No permission to listen on its port (${error.message}): set GATEBOOK_PORT to a port above 1023.`;
  if (['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', '28P01', '3D000'].includes(code)) {
    return `Could not connect to the database at GATEBOOK_DATABASE_URL: ${error.message || code}.`;
  }
  if (error.name === 'LogUnavailableError') return 'Could not connect to the log at GATEBOOK_EVENTSTORE_URL.';
  if (/master key/i.test(error.message)) {
    return 'The data was encrypted with another master key: set GATEBOOK_MASTER_KEY to that key, or add it to GATEBOOK_FORMER_MASTER_KEYS.';
  }
  return error.stack ?? error.message;
}
