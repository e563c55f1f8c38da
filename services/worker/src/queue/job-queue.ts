import { noTracers, type Tracers } from '@gatebook/runtime/instruments';
import { createListener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import {
  createPool,
  idleConnectionMs,
  keepAliveSettings,
  type Pool,
  splitSettings,
  withSettings,
} from '@gatebook/runtime/postgres';
import { BoundedClient } from '@gatebook/runtime/postgres-client';
import { DelayedError, type Job, LATEST_SCHEMA_VERSION, Queue, runMigrations, Worker, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { createBackendFactory } from './postgres-backend.ts';

/** The store of the jobs: Redis, or a separate schema in Postgres. */
export type QueuePlace = { kind: 'postgres' | 'redis'; url: string };

/** The result of a job. `laterMs` runs it again after that time, without counting an attempt. */
export type Outcome = 'done' | { laterMs: number };

const jobStates = ['waiting', 'active', 'delayed'] as const;
export type JobState = (typeof jobStates)[number];

export type JobQueue<Data> = {
  name: string;
  /** Adds nothing if a job with this ID is waiting or running. @throws Error if the queue does not respond in time */
  add(id: string, data: Data): Promise<void>;
  /**
   * Runs jobs in this process until `close`. Retries a job whose handler throws, with growing pauses, until it
   * succeeds. Another process takes over the job of a dead process within seconds.
   */
  work(handle: (data: Data) => Promise<Outcome>): Promise<void>;
  /** Numbers of jobs. Delayed ones wait for a retry or for a limit of the mail server. */
  counts(): Promise<Record<JobState, number>>;
  /** How long the oldest job that nobody has taken yet has waited; 0 if there is none among the first in line. */
  oldestWaitingMs(): Promise<number>;
  close(): Promise<void>;
};

type Options = {
  name: string;
  place: QueuePlace;
  logger: Logger;
  tracers?: Pick<Tracers, 'trace' | 'currentTrace'>;
  /** Called for each failed attempt. */
  onFailure?: (queue: string) => void;
  concurrency?: number;
  /** Whether other work of this process has priority. Then fewer jobs run at once. */
  isBusy?: () => boolean;
  /** If jobs have waited for longer than this, as many run as if the process was not busy. */
  longestYieldMs?: number;
  /** Pause before the first retry; it doubles each time. */
  firstPauseMs?: number;
  /** A connection to Postgres that does not answer a statement for this long counts as broken. */
  answerMs?: number;
  /** How often the connection to Postgres that announces jobs is asked whether it still works. */
  heartbeatMs?: number;
};

/** The job of a killed worker is available after its lock has expired and a worker has checked for stalled jobs. */
const lockMs = 5_000;
const stalledCheckMs = 5_000;
/** New jobs are announced, and delayed ones have their time. This is the safety net. */
const unannouncedSeconds = 30;
const longestPauseMs = 5 * 60_000;
const defaultFirstPauseMs = 2_000;
const defaultAnswerMs = 30_000;
/** Linux asks several more times before a connection that is idle for this long counts as broken. */
const keepAliveMs = 10_000;
/** Practically unlimited, because the log still contains the unfinished work. */
const maxAttempts = 100_000;

/** While the process is busy, this part of the usual number of jobs runs at once. */
const busyShare = 0.2;
const defaultLongestYieldMs = 3_000;

/** Commands wait in this process for as long as Redis is gone. Who adds a job must not, because it has other work. */
const addWithinMs = 5_000;

/** After this long without Redis, a process that stops gives up its running jobs, which run again later. */
const goneMs = 2_000;

/** Jobs in line among which the oldest new one is looked for. */
const lookedThrough = 100;

const jobsSchema = 'jobs';

/** Creates or updates the schema of the queues in Postgres. Needs no privileges if it is up to date. */
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

/** A BullMQ queue in Redis or Postgres. In Postgres its schema is updated first. */
export async function createJobQueue<Data>(options: Options): Promise<JobQueue<Data>> {
  const { name, place, logger, onFailure, concurrency = 10, firstPauseMs = defaultFirstPauseMs } = options;
  const { isBusy, longestYieldMs = defaultLongestYieldMs, answerMs = defaultAnswerMs } = options;
  const busyConcurrency = isBusy ? Math.max(1, Math.round(concurrency * busyShare)) : concurrency;
  const { trace, currentTrace } = options.tracers ?? noTracers;
  if (place.kind === 'postgres') await migrateIn(place.url);
  const { queue, startWorker, isGone, disconnect } = open(options, answerMs);
  let isClosing = false;
  const logError = (error: Error) => {
    // Closing the queue ends its connections.
    if (!isClosing) logger.warn({ err: error, queue: name }, 'job queue error');
  };
  queue.on('error', logError);
  await queue.waitUntilReady();
  let worker: Worker | undefined;
  return {
    name,
    add: async (id, data) => {
      const traceparent = currentTrace();
      const adding = queue.add(name, data, {
        ...(traceparent !== null && { telemetry: { metadata: traceparent } }),
        jobId: id,
        attempts: maxAttempts,
        backoff: { type: 'custom' },
        removeOnComplete: true,
        removeOnFail: true,
      });
      await inTime(adding, name);
    },
    work: async (handle) => {
      const run = async (job: Job, token?: string): Promise<void> => {
        const continues = job.opts.telemetry?.metadata ?? null;
        const span = { name: 'run job', continues, attributes: { 'gatebook.queue': name } } as const;
        const outcome = await trace(span, () => handle(job.data as Data));
        if (outcome === 'done') return;
        await job.moveToDelayed(Date.now() + outcome.laterMs, token);
        throw new DelayedError();
      };
      let running = 0;
      const runLimited = async (job: Job, token?: string): Promise<void> => {
        const hasWaited = job.attemptsStarted <= 1 && Date.now() - job.timestamp > longestYieldMs;
        running += 1;
        if (worker) worker.concurrency = isBusy?.() && !hasWaited ? busyConcurrency : concurrency;
        await run(job, token).finally(() => {
          running -= 1;
          // The first jobs after a pause are taken before any of them runs.
          if (running === 0 && worker) worker.concurrency = busyConcurrency;
        });
      };
      worker = startWorker(runLimited, {
        concurrency: busyConcurrency,
        lockDuration: lockMs,
        stalledInterval: stalledCheckMs,
        drainDelay: unannouncedSeconds,
        maxStalledCount: maxAttempts,
        settings: { backoffStrategy: (attempts) => pauseAfter(attempts, firstPauseMs) },
      });
      worker.on('error', logError);
      worker.on('failed', (job, error) => {
        onFailure?.(name);
        logger.error({ err: error, queue: name, jobId: job?.id, attempts: job?.attemptsMade }, 'job failed');
      });
      await worker.waitUntilReady();
    },
    counts: async () => {
      const {
        waiting = 0,
        prioritized = 0,
        active = 0,
        delayed = 0,
      } = await queue.getJobCounts(...jobStates, 'prioritized');
      return { waiting: waiting + prioritized, active, delayed };
    },
    oldestWaitingMs: async () => {
      const first = await queue.getJobs(['waiting', 'prioritized'], 0, lookedThrough - 1, true);
      // A job that has run before may have been delayed for hours, which its timestamp does not show.
      const oldest = first.find(({ attemptsStarted }) => attemptsStarted === 0);
      return oldest ? Date.now() - oldest.timestamp : 0;
    },
    close: async () => {
      isClosing = true;
      const closing = Promise.resolve(worker?.close()).then(() => queue.close());
      await Promise.race([closing, untilGone(isGone, closing)]).finally(disconnect);
    },
  };
}

/** @throws an error that counts as a lost connection */
async function inTime<T>(adding: Promise<T>, queue: string): Promise<T> {
  const ended = new AbortController();
  const late = pause(addWithinMs, ended.signal).then(() => {
    throw Object.assign(new Error(`the queue ${queue} does not respond`), { code: 'ETIMEDOUT' });
  });
  late.catch(() => undefined);
  return Promise.race([adding, late]).finally(() => ended.abort());
}

/** Resolves once the store has been gone for `goneMs`, because closing waits until it is back. */
async function untilGone(isGone: () => boolean, closing: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  closing.finally(() => ended.abort()).catch(() => undefined);
  let sinceMs = performance.now();
  while (!ended.signal.aborted && performance.now() - sinceMs < goneMs) {
    await pause(goneMs / 20, ended.signal);
    if (!isGone()) sinceMs = performance.now();
  }
}

async function migrateIn(url: string): Promise<void> {
  const pool = createPool(url, { max: 1, name: 'gatebook jobs', isForLongWork: true });
  try {
    await migrateJobQueue(pool);
  } finally {
    await pool.end();
  }
}

/** Doubles with each attempt, up to 5 minutes, with a random factor between 0.5 and 1.5. */
export function pauseAfter(attempts: number, firstPauseMs: number): number {
  const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs);
  return Math.round(pause * (0.5 + Math.random()));
}

type WorkerSettings = {
  concurrency: number;
  lockDuration: number;
  stalledInterval: number;
  drainDelay: number;
  maxStalledCount: number;
  settings: { backoffStrategy: (attempts: number) => number };
};
type Run = (job: Job, token?: string) => Promise<void>;

function open({ name, place, logger, heartbeatMs }: Options, answerMs: number) {
  if (place.kind === 'redis') {
    // BullMQ requires this for its blocking commands.
    const connection = new Redis(place.url, { maxRetriesPerRequest: null, keepAlive: keepAliveMs });
    const options = { connection, prefix: 'gatebook' };
    return {
      queue: new Queue(name, options),
      startWorker: (run: Run, settings: WorkerSettings) => new Worker(name, run, { ...options, ...settings }),
      isGone: () => connection.status !== 'ready',
      disconnect: async () => connection.disconnect(),
    };
  }
  const listener = createListener(place.url, {
    name: `gatebook queue ${name}`,
    logger,
    ...(heartbeatMs !== undefined && { heartbeatMs }),
  });
  const OnPostgres = withBackend(createBackendFactory(listener));
  // A crash of the database can lose the latest jobs. The worker looks for emails without a job every minute.
  const url = withSettings(place.url, { ...keepAliveSettings, synchronous_commit: 'off' });
  // BullMQ adds its own settings; settings in the connection string would replace them.
  const { url: connectionString, options: settings } = splitSettings(url);
  const connection = {
    connectionString,
    ...(settings && { options: settings }),
    schema: jobsSchema,
    max: 4,
    idleTimeoutMillis: idleConnectionMs,
    query_timeout: answerMs,
    Client: BoundedClient as unknown as new () => BoundedClient,
  };
  const options = { connection };
  return {
    queue: new OnPostgres.Queue(name, options) as unknown as Queue,
    startWorker: (run: Run, settings: WorkerSettings) =>
      new OnPostgres.Worker(name, run as never, { ...options, ...settings }) as unknown as Worker,
    isGone: () => false,
    disconnect: () => listener.close(),
  };
}
