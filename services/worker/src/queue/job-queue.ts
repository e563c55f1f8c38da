import type { Logger } from '@gatebook/runtime/logger';
import { createPool, type Pool, splitSettings } from '@gatebook/runtime/postgres';
import {
  createPostgresBackend,
  DelayedError,
  type Job,
  LATEST_SCHEMA_VERSION,
  Queue,
  runMigrations,
  Worker,
  withBackend,
} from 'bullmq';
import { Redis } from 'ioredis';

/** Where jobs wait: in Redis, or in a schema of their own in Postgres. */
export type QueuePlace = { kind: 'postgres' | 'redis'; url: string };

/** What a job came to: `later` puts it back for that long, without counting as a try. */
export type Outcome = 'done' | { laterMs: number };

export type JobQueue<Data> = {
  /** A job of an id that is waiting or running already is the same job: nothing is added. */
  add(id: string, data: Data): Promise<void>;
  /**
   * Runs jobs in this process until `close`. A handler that throws is tried again, sooner than later at first, until it does
   * not. A job whose process died is taken up by another within seconds.
   */
  work(handle: (data: Data) => Promise<Outcome>): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  name: string;
  place: QueuePlace;
  logger: Logger;
  concurrency?: number;
  /** Of the first pause after a failure; it doubles. */
  firstPauseMs?: number;
};

/** A killed worker's job is free again after the lock has run out and somebody has looked. */
const lockMs = 5_000;
const stalledCheckMs = 2_000;
const longestPauseMs = 5 * 60_000;
const defaultFirstPauseMs = 2_000;
/** In practice for ever: what is still to be done stands in the log. */
const maxTries = 100_000;

export const jobsSchema = 'jobs';

/** Makes or updates the schema of the queues in Postgres; needs no rights where it is up to date. */
export async function migrateJobQueue(pool: Pool): Promise<void> {
  if ((await jobQueueVersion(pool)) >= LATEST_SCHEMA_VERSION) return;
  const client = await pool.connect();
  try {
    await runMigrations(client, jobsSchema);
  } finally {
    client.release();
  }
}

async function jobQueueVersion(pool: Pool): Promise<number> {
  const { rows: tables } = await pool.query('select from pg_tables where schemaname = $1 and tablename = $2', [
    jobsSchema,
    'migration',
  ]);
  if (tables.length === 0) return 0;
  const { rows } = await pool.query<{ version: number | null }>(
    `select max(version) as version from ${jobsSchema}.migration`,
  );
  return rows[0]?.version ?? 0;
}

/** A queue over BullMQ, the same on both places. In Postgres its schema is brought up to date. */
export async function createJobQueue<Data>(options: Options): Promise<JobQueue<Data>> {
  const { name, place, logger, concurrency = 10, firstPauseMs = defaultFirstPauseMs } = options;
  if (place.kind === 'postgres') await migrateIn(place.url);
  const { queue, startWorker, disconnect } = open(name, place);
  let isClosing = false;
  const complain = (error: Error) => {
    // Connections that end because the queue is closed are no trouble.
    if (!isClosing) logger.warn({ err: error, queue: name }, 'the queue has trouble');
  };
  queue.on('error', complain);
  await queue.waitUntilReady();
  let worker: Worker | undefined;
  return {
    add: async (id, data) => {
      await queue.add(name, data, {
        jobId: id,
        attempts: maxTries,
        backoff: { type: 'custom' },
        removeOnComplete: true,
        removeOnFail: true,
      });
    },
    work: async (handle) => {
      const run = async (job: Job, token?: string): Promise<void> => {
        const outcome = await handle(job.data as Data);
        if (outcome === 'done') return;
        await job.moveToDelayed(Date.now() + outcome.laterMs, token);
        throw new DelayedError();
      };
      worker = startWorker(run, {
        concurrency,
        lockDuration: lockMs,
        stalledInterval: stalledCheckMs,
        maxStalledCount: maxTries,
        settings: { backoffStrategy: (tries) => pauseAfter(tries, firstPauseMs) },
      });
      worker.on('error', complain);
      worker.on('failed', (job, error) => {
        logger.error({ err: error, queue: name, jobId: job?.id, tries: job?.attemptsMade }, 'a job failed');
      });
      await worker.waitUntilReady();
    },
    close: async () => {
      isClosing = true;
      await worker?.close();
      await queue.close();
      disconnect();
    },
  };
}

async function migrateIn(url: string): Promise<void> {
  const pool = createPool(url, { max: 1, name: 'gatebook jobs' });
  try {
    await migrateJobQueue(pool);
  } finally {
    await pool.end();
  }
}

/** Doubling from the first pause on, up to 5 minutes, each between half and one and a half times as long. */
export function pauseAfter(tries: number, firstPauseMs: number): number {
  const pause = Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs);
  return Math.round(pause * (0.5 + Math.random()));
}

type WorkerSettings = {
  concurrency: number;
  lockDuration: number;
  stalledInterval: number;
  maxStalledCount: number;
  settings: { backoffStrategy: (tries: number) => number };
};
type Run = (job: Job, token?: string) => Promise<void>;

function open(name: string, place: QueuePlace) {
  if (place.kind === 'redis') {
    // BullMQ asks for it: its blocking commands wait longer than any number of retries.
    const connection = new Redis(place.url, { maxRetriesPerRequest: null });
    const options = { connection, prefix: 'gatebook' };
    return {
      queue: new Queue(name, options),
      startWorker: (run: Run, settings: WorkerSettings) => new Worker(name, run, { ...options, ...settings }),
      disconnect: () => connection.disconnect(),
    };
  }
  const OnPostgres = withBackend(createPostgresBackend);
  // BullMQ adds settings of its own, which those in the connection string would replace.
  const { url: connectionString, options: settings } = splitSettings(place.url);
  const connection = { connectionString, ...(settings && { options: settings }), schema: jobsSchema, max: 4 };
  const options = { connection };
  return {
    queue: new OnPostgres.Queue(name, options) as unknown as Queue,
    startWorker: (run: Run, settings: WorkerSettings) =>
      new OnPostgres.Worker(name, run as never, { ...options, ...settings }) as unknown as Worker,
    disconnect: () => {},
  };
}
