import type pg from 'pg';
import { silenceMs } from './leadership.ts';
import type { Logger } from './logger.ts';
import { pause } from './pause.ts';
import { BoundedClient } from './postgres-client.ts';

/** How often a process takes and gives back leases: the longest time for which nobody holds one after a crash. */
const balanceEveryMs = 500;

export type SharedLeases = {
  /** The leases that this process holds. A signal aborts when its lease ends. */
  held(): ReadonlyMap<number, AbortSignal>;
  /** Shares the leases with the other processes until `signal` aborts. */
  hold(signal: AbortSignal): Promise<void>;
};

/**
 * Divides leases 0 to `count` − 1 evenly among processes. Each lease is a Postgres advisory lock on a dedicated
 * connection, like leadership. A process holds at most its even share, so that the others find some.
 */
export function createSharedLeases(parts: { url: string; name: string; count: number; logger: Logger }): SharedLeases {
  const { url, name, count, logger } = parts;
  const leases = new Map<number, AbortController>();

  function end(lease: number): void {
    leases.get(lease)?.abort();
    leases.delete(lease);
  }

  async function balance(client: pg.Client): Promise<void> {
    const share = Math.ceil(count / (await countMembers(client, name)));
    for (const lease of [...leases.keys()].slice(share)) {
      end(lease);
      await client.query('select pg_advisory_unlock(hashtext($1), $2)', [lockName(name), lease]);
    }
    for (let lease = 0; lease < count && leases.size < share; lease += 1) {
      if (!leases.has(lease) && (await tryToHold(client, name, lease))) leases.set(lease, new AbortController());
    }
  }

  async function holdOnce(client: pg.Client, signal: AbortSignal): Promise<void> {
    await client.connect();
    await client.query(`set idle_session_timeout = ${silenceMs}`);
    await client.query('select pg_advisory_lock_shared(hashtext($1))', [memberName(name)]);
    while (!signal.aborted) {
      await balance(client);
      await pause(balanceEveryMs, signal);
    }
  }

  return {
    held: () => new Map([...leases].map(([lease, { signal }]) => [lease, signal])),
    hold: async (signal) => {
      while (!signal.aborted) {
        const client = new BoundedClient({
          connectionString: url,
          application_name: lockName(name),
          connectionTimeoutMillis: silenceMs,
          query_timeout: silenceMs,
        });
        const lost = new AbortController();
        client.on('error', () => undefined);
        client.on('end', () => lost.abort());
        try {
          await holdOnce(client, AbortSignal.any([signal, lost.signal]));
        } catch (error) {
          if (!signal.aborted) logger.warn({ err: error, name }, 'leases lost, retrying');
          await pause(balanceEveryMs, signal);
        } finally {
          for (const lease of [...leases.keys()]) end(lease);
          // Ending the connection can hang if the server is unreachable.
          await Promise.race([client.end().catch(() => undefined), pause(silenceMs)]);
        }
      }
    },
  };
}

const lockName = (name: string) => `shard of ${name}`;
const memberName = (name: string) => `shards of ${name}`;

async function tryToHold(client: pg.Client, name: string, lease: number): Promise<boolean> {
  const { rows } = await client.query<{ isHeld: boolean }>(
    'select pg_try_advisory_lock(hashtext($1), $2) as "isHeld"',
    [lockName(name), lease],
  );
  return rows[0]?.isHeld ?? false;
}

/** Processes that share the leases, including this one. */
async function countMembers(client: pg.Client, name: string): Promise<number> {
  const { rows } = await client.query<{ members: number }>(
    `select count(*)::integer as members from pg_locks where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())
       and (classid::bigint << 32 | objid::bigint) = (hashtext($1)::bigint)`,
    [memberName(name)],
  );
  return Math.max(1, rows[0]?.members ?? 1);
}
