import pg from 'pg';
import type { Logger } from './logger.ts';
import { pause } from './pause.ts';

const retryPauseMs = 500;

/**
 * Runs `lead` in one process at a time: the holder of a Postgres advisory lock on a connection of its own. Others wait and
 * take over when that connection ends. Leading ends with its connection, by the signal that `lead` gets.
 */
export async function takeTurns(
  { url, name, logger }: { url: string; name: string; logger: Logger },
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const client = new pg.Client({ connectionString: url, application_name: `leader ${name}`, keepAlive: true });
    const lost = new AbortController();
    client.on('error', () => undefined);
    client.on('end', () => lost.abort());
    const stopWaiting = () => void client.end().catch(() => undefined);
    signal.addEventListener('abort', stopWaiting);
    try {
      await client.connect();
      await client.query('select pg_advisory_lock(hashtext($1))', [`leader ${name}`]);
      logger.info({ name }, 'leading');
      signal.removeEventListener('abort', stopWaiting);
      await lead(AbortSignal.any([signal, lost.signal]));
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error, name }, 'leadership was lost, trying again');
      await pause(retryPauseMs, signal);
    } finally {
      signal.removeEventListener('abort', stopWaiting);
      await client.end().catch(() => undefined);
    }
  }
}
