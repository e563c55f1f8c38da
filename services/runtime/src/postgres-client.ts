import type { Socket } from 'node:net';
import pg from 'pg';

/** Node then asks ten times, one second apart, before it gives up an idle connection. The default is two hours. */
const keepAliveInitialDelayMillis = 5_000;
const openMs = 10_000;
const closeMs = 2_000;

/**
 * A connection that notices when the server or the network vanishes without a word. Its statements are limited by
 * `query_timeout`, or by `watchStatements` if they can take any time.
 */
export class BoundedClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super({ connectionTimeoutMillis: openMs, ...config, keepAlive: true, keepAliveInitialDelayMillis });
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    // Otherwise the goodbye is sent again for a quarter of an hour, and a stop waits for it.
    const timer = setTimeout(() => destroy(this), closeMs).unref();
    this.connection.once('end', () => clearTimeout(timer));
    if (callback) return super.end(callback);
    return super.end();
  }
}

export const socketOf = (client: pg.Client): Socket =>
  (client as pg.Client & { connection: { stream: Socket } }).connection.stream;

/** Ends a connection without a word to the server. Its statements reject. */
export function destroy(client: pg.Client): void {
  socketOf(client).destroy();
}
