import pg from 'pg';
import type { Logger } from './logger.ts';
import { BoundedClient, destroy } from './postgres-client.ts';

type Subscription = {
  onNotification: (payload: string) => void;
  /** Called after a reconnect, because notifications can be lost meanwhile. */
  onGap: () => void;
  /** Called when the connection is lost. */
  onLost: () => void;
};

export type Listener = {
  /** Resolves when LISTEN is active. @returns a function that ends the subscription */
  listen(
    channel: string,
    onNotification: Subscription['onNotification'],
    onGap: () => void,
    onLost?: () => void,
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
};

/** Short, because nothing is heard meanwhile: a revoked key would be accepted for longer. */
const longestPauseMs = 500;
/** How often a listener asks whether its connection still works, and how long it waits for the answer. */
const defaultHeartbeatMs = 5_000;

const turns = new WeakMap<pg.Client, Promise<unknown>>();

/** A connection runs one statement at a time, and pg warns of others that wait for it. */
function inTurn(client: pg.Client, statement: string): Promise<unknown> {
  const before = turns.get(client)?.catch(() => undefined) ?? Promise.resolve();
  const turn = before.then(() => client.query(statement));
  turns.set(client, turn);
  return turn;
}

type Options = { name: string; logger: Logger; heartbeatMs?: number };

/** LISTEN on a dedicated connection, which is reopened when it breaks or does not answer. */
export function createListener(url: string, { name, logger, heartbeatMs = defaultHeartbeatMs }: Options): Listener {
  const channels = new Map<string, Set<Subscription>>();
  let connection: Promise<pg.Client> | undefined;
  let isClosed = false;

  async function connect(): Promise<pg.Client> {
    const client = new BoundedClient({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: heartbeatMs,
      query_timeout: heartbeatMs,
    });
    client.on('notification', ({ channel, payload }) => {
      for (const subscription of channels.get(channel) ?? []) subscription.onNotification(payload ?? '');
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      for (const channel of channels.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      // A standby server accepts connections and rejects LISTEN.
      client.end().catch(() => undefined);
      throw error;
    }
    const heartbeat = setInterval(() => {
      inTurn(client, 'select').catch(() => destroy(client));
    }, heartbeatMs);
    client.on('end', () => {
      clearInterval(heartbeat);
      if (isClosed) return;
      for (const subscriptions of channels.values()) for (const { onLost } of subscriptions) onLost();
      void reconnect();
    });
    return client;
  }

  async function connected(): Promise<pg.Client> {
    const current = connection ?? connect();
    connection = current;
    try {
      return await current;
    } catch (error) {
      // The next call tries again.
      if (connection === current) connection = undefined;
      throw error;
    }
  }

  async function reconnect(): Promise<void> {
    connection = undefined;
    for (let pauseMs = 50; !isClosed; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await connected();
        for (const subscriptions of channels.values()) for (const { onGap } of subscriptions) onGap();
        return;
      } catch (error) {
        logger.warn({ err: error }, 'listener connection lost, reconnecting');
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  return {
    listen: async (channel, onNotification, onGap, onLost = () => undefined) => {
      const subscription = { onNotification, onGap, onLost };
      const subscriptions = channels.get(channel) ?? new Set();
      channels.set(channel, subscriptions.add(subscription));
      const unsubscribe = async () => {
        subscriptions.delete(subscription);
      };
      try {
        await inTurn(await connected(), `listen ${pg.escapeIdentifier(channel)}`);
      } catch (error) {
        await unsubscribe();
        throw error;
      }
      return unsubscribe;
    },
    close: async () => {
      isClosed = true;
      const client = await connection?.catch(() => undefined);
      await client?.end();
    },
  };
}
