import { randomBytes } from 'node:crypto';
import { openLog } from '@gatebook/gatebook/open-log';
import { createLogger } from '@gatebook/runtime/logger';
import { createShutdown } from '@gatebook/runtime/shutdown';

/** The log of a fresh database, as the product opens it, by default with a master key of its own. */
export async function openBenchLog(databaseUrl: string, masterKey = randomBytes(32)) {
  const logger = createLogger({ level: 'warn' });
  const shutdown = createShutdown(logger);
  const log = await openLog({ databaseUrl, masterKey, logger, shutdown });
  return { ...log, logger, close: () => shutdown.run() };
}
