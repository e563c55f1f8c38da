import { randomBytes } from 'node:crypto';
import { prepareDatabase } from '@gatebook/gatebook/database/prepare';
import { openLog } from '@gatebook/gatebook/open-log';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';

/**
 * The log of a fresh database, as the product opens it, by default with a new master key. `pool` has the role of the
 * projector, `apiUrl` that of the API.
 */
export async function openBenchLog(databaseUrl: string, masterKey = randomBytes(32)) {
  const logger = createLogger({ level: 'warn' });
  const shutdown = createShutdown(logger);
  const { api, projector } = await prepareDatabase(databaseUrl);
  const log = await openLog({ databaseUrl, masterKey, logger, shutdown });
  const pool = createPool(projector, { max: 20, name: 'bench projector', isForLongWork: true });
  shutdown.add('projecting connections', () => pool.end());
  return { ...log, pool, apiUrl: api, logger, close: () => shutdown.run() };
}
