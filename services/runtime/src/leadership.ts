import pg from 'pg';
import type { Logger } from './logger.ts';
import { pause } from './pause.ts';

/** How often those who stand by try; so long at most nobody leads after a leader is gone. */
const retryPauseMs = 500;
/** A leader says this often that it lives. */
const sayMs = 1_000;
/**
 * One that has been silent for so long leads no more: its process hangs, or its machine is gone without a farewell, which
 * Postgres would otherwise find out after hours.
 */
export const silenceMs = 3_000;

/**
 * Runs `lead` in one process at a time: the holder of a Postgres advisory lock on a connection of its own. Others stand by and
 * take over when that connection ends, or has been silent for `silenceMs`. Leading ends with its connection, by the signal that
 * `lead` gets. Needs Postgres 14 or later.
 */
export async function takeTurns(
  { url, name, logger }: { url: string; name: string; logger: Logger },
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const client = new pg.Client({
      connectionString: url,
      application_name: `leader ${name}`,
      keepAlive: true,
      query_timeout: silenceMs,
    });
    const lost = new AbortController();
    client.on('error', () => undefined);
    client.on('end', () => lost.abort());
    const leading = AbortSignal.any([signal, lost.signal]);
    let saying: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      await client.query(`set idle_session_timeout = ${silenceMs}`);
      while (!leading.aborted && !(await tryToLead(client, name))) await pause(retryPauseMs, leading);
      if (leading.aborted) continue;
      logger.info({ name }, 'leading');
      saying = setInterval(() => {
        client.query('select').catch(() => lost.abort());
      }, sayMs);
      await lead(leading);
      // Whoever stood by is tried before a process whose connection broke.
      await pause(2 * retryPauseMs, signal);
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error, name }, 'leadership was lost, trying again');
      await pause(retryPauseMs, signal);
    } finally {
      clearInterval(saying);
      // A server that can't be reached takes no leave.
      await Promise.race([client.end().catch(() => undefined), pause(sayMs)]);
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
