import pg from 'pg';
import type { Logger } from './logger.ts';

type Subscription = {
  onNotification: (payload: string) => void;
  /** Called after a reconnect: notifications may have been missed. */
  onGap: () => void;
};

export type Listener = {
  /** @returns a function that ends this subscription; resolves once LISTEN is in force */
  listen(
    channel: string,
    onNotification: Subscription['onNotification'],
    onGap: () => void,
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
};

const longestPauseMs = 5_000;

/** LISTEN on one connection of its own that is made anew whenever it breaks. */
export function createListener(url: string, { name, logger }: { name: string; logger: Logger }): Listener {
  const channels = new Map<string, Set<Subscription>>();
  let connection: Promise<pg.Client> | undefined;
  let isClosed = false;

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, application_name: name, keepAlive: true });
    client.on('notification', ({ channel, payload }) => {
      for (const subscription of channels.get(channel) ?? []) subscription.onNotification(payload ?? '');
    });
    client.on('error', () => undefined);
    await client.connect();
    for (const channel of channels.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    client.on('end', () => {
      if (!isClosed) void reconnect();
    });
    return client;
  }

  async function connected(): Promise<pg.Client> {
    const current = connection ?? connect();
    connection = current;
    try {
      return await current;
    } catch (error) {
      // The next one who asks tries anew.
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
        connection = undefined;
        logger.warn({ err: error }, 'listening connection is down, trying again');
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  return {
    listen: async (channel, onNotification, onGap) => {
      const subscription = { onNotification, onGap };
      const subscriptions = channels.get(channel) ?? new Set();
      channels.set(channel, subscriptions.add(subscription));
      const unsubscribe = async () => {
        subscriptions.delete(subscription);
      };
      try {
        const client = await connected();
        await client.query(`listen ${pg.escapeIdentifier(channel)}`);
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
