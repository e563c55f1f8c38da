import type pg from 'pg';
import type { Logger } from './logger.ts';
import { pause } from './pause.ts';
import { BoundedClient } from './postgres-client.ts';

/** How often standby processes try to lead: the longest time without a leader after one is gone. */
const retryPauseMs = 500;
/** A leader queries the database this often to keep its connection alive. */
const heartbeatMs = 1_000;
/**
 * Postgres ends the connection of a leader after this time without a heartbeat: its process hangs or its machine is
 * gone. TCP would take hours to notice.
 */
export const silenceMs = 3_000;

/**
 * Runs `lead` in one process at a time: the holder of a Postgres advisory lock on a dedicated connection. Other
 * processes stand by and take over when that connection ends or is silent for `silenceMs`. The signal of `lead` aborts
 * when the connection ends, and once `lead` has ended or failed. Requires Postgres 14 or later.
 */
export async function takeTurns(
  { url, name, logger }: { url: string; name: string; logger: Logger },
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const client = new BoundedClient({
      connectionString: url,
      application_name: `leader ${name}`,
      connectionTimeoutMillis: silenceMs,
      query_timeout: silenceMs,
    });
    const lost = new AbortController();
    client.on('error', () => undefined);
    client.on('end', () => lost.abort());
    const leading = AbortSignal.any([signal, lost.signal]);
    let heartbeat: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      await client.query(`set idle_session_timeout = ${silenceMs}`);
      while (!leading.aborted && !(await tryToLead(client, name))) await pause(retryPauseMs, leading);
      if (leading.aborted) continue;
      logger.info({ name }, 'leading');
      heartbeat = setInterval(() => {
        client.query('select').catch(() => lost.abort());
      }, heartbeatMs);
      // What it still runs after a part of it has failed must end while no other process leads.
      await lead(leading).finally(() => lost.abort());
      // Lets a standby process lead first.
      await pause(2 * retryPauseMs, signal);
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error, name }, 'leadership lost, retrying');
      await pause(retryPauseMs, signal);
    } finally {
      clearInterval(heartbeat);
      // Ending the connection can hang if the server is unreachable.
      await Promise.race([client.end().catch(() => undefined), pause(heartbeatMs)]);
    }
  }
}

/** Doesn't wait for the lock, because a connection that waits in Postgres can't be closed. */
async function tryToLead(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isLeader: boolean }>(
    'select pg_try_advisory_lock(hashtext($1)) as "isLeader"',
    [`leader ${name}`],
  );
  return rows[0]?.isLeader ?? false;
}
