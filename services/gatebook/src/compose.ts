import type { WriteDeps } from '@gatebook/commands/deps';
import { catalogue } from '@gatebook/domain/catalogue';
import { createCodec } from '@gatebook/eventlog/codec';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { migrateEventLog } from '@gatebook/eventlog/postgres/migrate';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { createKeyring } from '@gatebook/eventlog/sealing/keyring';
import { migrateActivity } from '@gatebook/readmodel/activity/activity';
import { migrateReadModels } from '@gatebook/readmodel/generations';
import { migrateKeptAnswers } from '@gatebook/readmodel/requests/kept-answers';
import type { Role } from '@gatebook/runtime/config';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { createPool } from '@gatebook/runtime/postgres';
import type { Shutdown } from '@gatebook/runtime/shutdown';
import type { Settings } from './roles/settings.ts';

type LogSettings = {
  databaseUrl: string;
  masterKey: Buffer;
  logger: Logger;
  /** Gets a step for each thing that is started. */
  shutdown: Shutdown;
};
const connections = 20;
/** The log's own, so that an append never waits behind queries. */
const logConnections = 6;

/** The log with its keys, on a database that is there; nothing follows it yet. */
export async function openLog({ databaseUrl, masterKey, logger, shutdown }: LogSettings) {
  const pool = createPool(databaseUrl, { max: connections, name: 'gatebook' });
  const logPool = createPool(databaseUrl, { max: logConnections, name: 'gatebook log' });
  shutdown.add('pools', () => Promise.all([pool.end(), logPool.end()]));
  await migrateEventLog(pool);
  await Promise.all([migrateReadModels(pool), migrateActivity(pool), migrateKeptAnswers(pool)]);

  const listener = createListener(databaseUrl, { name: 'gatebook listener', logger });
  shutdown.add('listener', () => listener.close());
  const keyring = await createKeyring({ masterKey, keyStore: createPostgresKeyStore(pool, listener) });
  shutdown.add('keyring', () => keyring.close());
  const codec = createCodec({ catalogue, keyring, newEventId });
  const store = await createPostgresEventStore({ pool: logPool, listener, codec });
  shutdown.add('log', () => store.close());
  return { pool, listener, keyring, store };
}

export type Log = Awaited<ReturnType<typeof openLog>>;

/**
 * Starts a role's part of the product in this process, or all of it. Answers once it does its work: an API, when the read models
 * can be read. @returns what commands need, where there is an API
 */
export async function startGatebook(role: Role, settings: Settings): Promise<WriteDeps | null> {
  const log = await openLog(settings);
  const { serveHealth } = await import('./roles/health.ts');
  if (role === 'projector') {
    const { startProjectorIn } = await import('./roles/projector.ts');
    await serveHealth(log, settings, startProjectorIn(log, settings));
    return null;
  }
  const { composeCore, seed } = await import('./roles/core.ts');
  const core = await composeCore(log, settings);
  if (role === 'worker') {
    const { startWorkerIn } = await import('./roles/worker.ts');
    await serveHealth(log, settings, await startWorkerIn(core, settings));
    return null;
  }
  await seed(core, settings);
  if (role === 'all') {
    const [projector, worker] = await Promise.all([import('./roles/projector.ts'), import('./roles/worker.ts')]);
    projector.startProjectorIn(log, settings);
    await worker.startWorkerIn(core, settings);
  }
  const { startApiIn } = await import('./roles/api.ts');
  await startApiIn(core, settings);
  return core.write;
}
