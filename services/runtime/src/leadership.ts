import pg from 'pg';
import type { Logger } from './logger.ts';
import { pause } from './pause.ts';

/** How often those who stand by try; so long at most nobody leads after a leader is gone. */
const retryPauseMs = 500;

/**
 * Runs `lead` in one process at a time: the holder of a Postgres advisory lock on a connection of its own. Others stand by and
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
    const leading = AbortSignal.any([signal, lost.signal]);
    try {
      await client.connect();
      while (!leading.aborted && !(await tryToLead(client, name))) await pause(retryPauseMs, leading);
      if (leading.aborted) continue;
      logger.info({ name }, 'leading');
      await lead(leading);
      // Whoever stood by is tried before a process whose connection broke.
      await pause(2 * retryPauseMs, signal);
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error, name }, 'leadership was lost, trying again');
      await pause(retryPauseMs, signal);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Waiting for the lock inside Postgres would keep the connection from being closed meanwhile. */
async function tryToLead(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isLeader: boolean }>(
    'select pg_try_advisory_lock(hashtext($1)) as "isLeader"',
    [`leader ${name}`],
  );
  return rows[0]?.isLeader ?? false;
}
