import type pg from 'pg';
import { BoundedClient, destroy, socketOf } from './postgres-client.ts';

/** How often connections are looked at whose statement may take any time. */
const lookEveryMs = 15_000;

type Waiting = { bytesRead: number; looks: number };
type InternalClient = pg.PoolClient & { readyForQuery?: boolean };

const pids = new WeakMap<pg.ClientBase, number>();

/** The process of a connection at the server. It differs from `processID` if the connection goes through a pooler. */
export function rememberPid(client: pg.ClientBase, pid: number): void {
  pids.set(client, pid);
}

/**
 * Ends connections of `pool` that wait for a result which never comes, because the statement or the result was lost on
 * the way. No time limit can tell these from statements that take long: the server is asked over another connection.
 */
export function watchStatements(pool: pg.Pool, config: pg.ClientConfig, everyMs = lookEveryMs): void {
  const waiting = new Map<pg.PoolClient, Waiting>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const suspects: pg.PoolClient[] = [];
    for (const [client, { bytesRead, looks }] of waiting) {
      const isWaiting = (client as InternalClient).readyForQuery === false;
      const isSilent = isWaiting && socketOf(client).bytesRead === bytesRead;
      waiting.set(client, { bytesRead: socketOf(client).bytesRead, looks: isSilent ? looks + 1 : 0 });
      // A result that arrives just now would be missed by one look.
      if (isSilent && looks > 0) suspects.push(client);
    }
    if (suspects.length === 0) return;
    const isRunning = await running(config, suspects);
    for (const client of suspects) {
      const isSilent = waiting.get(client)?.bytesRead === socketOf(client).bytesRead;
      if (isSilent && !isRunning(client)) destroy(client);
    }
  }

  function repeat(): void {
    timer = setTimeout(() => {
      void look().finally(() => {
        timer = undefined;
        if (waiting.size > 0) repeat();
      });
    }, everyMs).unref();
  }

  pool.on('acquire', (client) => {
    waiting.set(client as pg.PoolClient, { bytesRead: socketOf(client as pg.PoolClient).bytesRead, looks: 0 });
    if (timer === undefined) repeat();
  });
  pool.on('release', (_error, client) => {
    waiting.delete(client as pg.PoolClient);
  });
}

/** Whether a connection runs a statement. None does if the server cannot be reached. */
async function running(
  config: pg.ClientConfig,
  clients: readonly pg.PoolClient[],
): Promise<(client: pg.PoolClient) => boolean> {
  const probe = new BoundedClient({ ...config, query_timeout: 10_000 });
  probe.on('error', () => undefined);
  try {
    await probe.connect();
    const { rows } = await probe.query<{ pid: number }>(
      `select pid from pg_stat_activity where pid = any($1) and state = 'active'`,
      [clients.map((client) => pids.get(client))],
    );
    const active = new Set(rows.map(({ pid }) => pid));
    return (client) => active.has(pids.get(client) ?? -1);
  } catch (error) {
    // A server that has no connection left is there.
    const hasAnswered = error instanceof Error && 'severity' in error;
    return () => hasAnswered;
  } finally {
    probe.end().catch(() => undefined);
  }
}
