import { EventEmitter } from 'node:events';
import type { Listener } from '@gatebook/runtime/listener';
import { type BackendFactory, PostgresConnection, type PostgresConnectionOptions, PostgresQueueBackend } from 'bullmq';

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

/** BullMQ announces new jobs of all queues here, with the name of the queue. */
const jobsChannel = 'bullmq_jobs';

/**
 * Queues in Postgres whose workers hear of new jobs over `listener`. BullMQ's own connection for that opens without a
 * time limit, and nobody asks whether it still works.
 */
export function createBackendFactory(
  listener: Pick<Listener, 'listen'>,
): BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> {
  return (name, options) => {
    const connection = new PostgresConnection(options.connection);
    const events = new EventEmitter();
    // BullMQ only sends LISTEN over it, which the listener has done.
    const client = Object.assign(events, { query: async () => ({ rows: [] }) }) as unknown as ListenClient;
    let listening: Promise<unknown> | undefined;
    connection.getListenClient = async () => {
      listening ??= listener.listen(
        jobsChannel,
        (payload) => events.emit('notification', { channel: jobsChannel, payload }),
        // The worker looks for the jobs that it was not told of.
        () => connection.emit('listenerinvalidated'),
      );
      try {
        await listening;
      } catch (error) {
        listening = undefined;
        throw error;
      }
      return client;
    };
    return new PostgresQueueBackend(connection, name, options, true);
  };
}
