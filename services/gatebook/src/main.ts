import { join } from 'node:path';
import { ConfigError, readConfig } from '@gatebook/runtime/config';
import { createLogger } from '@gatebook/runtime/logger';
import { createShutdown } from '@gatebook/runtime/shutdown';
import {
  claimDataFolder,
  findInternalKeys,
  findMasterKey,
  openDataFolder,
  StartError,
} from './embedded/data-folder.ts';
import { startStandIn } from './embedded/stand-in-provider.ts';
import { describeStart } from './embedded/start-text.ts';

/** Ctrl-C twice ends at once. */
const forcedExitCode = 130;

try {
  await start();
} catch (error) {
  const isForPeople = error instanceof ConfigError || error instanceof StartError;
  process.stderr.write(`Gatebook does not start. ${isForPeople ? error.message : describeFault(error)}\n`);
  process.exit(1);
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.log);
  const shutdown = createShutdown(logger);
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const onProgress = (step: string) => say(`Gatebook: ${step} …`);
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
  try {
    const dataDir = await openDataFolder(config.dataDir);
    shutdown.add('data folder', await claimDataFolder(dataDir));
    // Both take their time, and neither needs the other.
    const composing = import('./compose.ts');
    const [masterKey, internalKeys, databaseUrl, standIn] = await Promise.all([
      findMasterKey(dataDir, config.sealing),
      findInternalKeys(dataDir, config.internal),
      config.database.url ?? startDatabase(),
      startStandIn(config),
    ]);
    const inbox = config.smtp.url === null && config.database.url === null ? await openInbox() : null;
    if (standIn) shutdown.add('stand-in provider', () => standIn.close());
    const { startGatebook } = await composing;
    const { write } = await startGatebook({
      config: standIn ? { ...config, oauth: standIn.oauth } : config,
      databaseUrl,
      masterKey,
      internalKeys,
      logger,
      shutdown,
      onProgress,
      inbox,
    });
    const { issueOwnerSetup } = await import('@gatebook/commands/owner-setup');
    const setup = await issueOwnerSetup(write);
    say(
      describeStart({
        publicUrl: config.http.publicUrl,
        dataDir,
        setupToken: setup?.token ?? null,
        hasInbox: inbox !== null,
        standInUrl: standIn?.url ?? null,
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
  } catch (error) {
    await shutdown.run();
    throw error;
  }
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
    return 'The master key is not the one that this data was sealed with: set GATEBOOK_MASTER_KEY to the right one.';
  }
  return error.stack ?? error.message;
}
