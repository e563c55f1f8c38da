import type { Readiness } from '@gatebook/projections/operations/readiness';
import type { MetricsPage } from '@gatebook/runtime/health-server';
import type { Meters } from '@gatebook/runtime/instruments';
import type { QueueBacklog } from '@gatebook/worker/queue/queue-problems';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Labels never contain IDs, addresses, paths or anything else of which there is one per user or project. */
export type Metrics = {
  meters: Meters;
  page(readiness: Readiness, backlogs: readonly QueueBacklog[]): Promise<MetricsPage>;
};

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** All metrics of a process (docs/metrics.md). */
export function createMetrics({ role }: { role: string }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  new Gauge({
    name: 'gatebook_process_info',
    help: 'Always 1. The label is the role of the process.',
    labelNames: ['role'],
    registers,
  }).set({ role }, 1);
  const recorded = createRecorded(registers);
  const scraped = createScraped(registers);
  return {
    meters: recorded,
    page: async (readiness, backlogs) => {
      scraped(readiness, backlogs);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

/** Metrics that are recorded when something happens. */
function createRecorded(registers: Registry[]): Meters {
  const appends = new Histogram({
    name: 'gatebook_append_duration_seconds',
    help: 'Time of an append to the log, as its caller sees it, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  for (const outcome of ['committed', 'conflict', 'rejected', 'failed']) appends.zero({ outcome });
  const events = new Counter({
    name: 'gatebook_events_appended_total',
    help: 'Events that this process appended to the log.',
    registers,
  });
  const batches = new Histogram({
    name: 'gatebook_append_batch_size',
    help: 'Appends that were committed in one transaction. Only with the log in Postgres.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 500],
    registers,
  });
  const requests = new Histogram({
    name: 'gatebook_http_request_duration_seconds',
    help: 'Time of HTTP requests by method, route template and class of the status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const rejections = new Counter({
    name: 'gatebook_http_rejections_total',
    help: 'HTTP requests that were rejected because there were too many, by limiter.',
    labelNames: ['limiter'],
    registers,
  });
  for (const limiter of ['rate_limit', 'admission', 'password_queue']) rejections.inc({ limiter }, 0);
  /** Counts lookups by result, without building labels for each. */
  function countLookups(name: string, help: string): (isCached: boolean) => void {
    const lookups = new Counter({ name, help, labelNames: ['result'], registers });
    const [hits, misses] = [lookups.labels('hit'), lookups.labels('miss')];
    for (const result of [hits, misses]) result.inc(0);
    return (isCached) => (isCached ? hits : misses).inc();
  }
  const projectLookedUp = countLookups(
    'gatebook_project_cache_lookups_total',
    'Lookups of a project in the cache of projects, by result.',
  );
  const rowLookedUp = countLookups(
    'gatebook_row_cache_lookups_total',
    'Lookups of a session with its user or an API key in the cache of rows, by result.',
  );
  const hashes = new Gauge({
    name: 'gatebook_password_hashes',
    help: 'Passwords that are being hashed or wait for it.',
    labelNames: ['state'],
    registers,
  });
  for (const state of ['running', 'waiting']) hashes.set({ state }, 0);
  const jobFailures = new Counter({
    name: 'gatebook_job_failures_total',
    help: 'Failed attempts of jobs, by queue.',
    labelNames: ['queue'],
    registers,
  });

  return {
    appended: (append) => {
      appends.observe({ outcome: append.outcome }, append.seconds);
      events.inc(append.events);
    },
    batchCommitted: (size) => batches.observe(size),
    responded: ({ method, route, status, seconds, rejectedBy }) => {
      const labels = {
        method: methods.has(method) ? method : 'other',
        route: route ?? 'unknown',
        status: `${Math.floor(status / 100)}xx`,
      };
      requests.observe(labels, seconds);
      if (rejectedBy) rejections.inc({ limiter: rejectedBy });
    },
    projectLookedUp,
    rowLookedUp,
    passwordQueueChanged: ({ running, waiting }) => {
      hashes.set({ state: 'running' }, running);
      hashes.set({ state: 'waiting' }, waiting);
    },
    jobFailed: (queue) => jobFailures.inc({ queue }),
  };
}

function setTime(time: Gauge, millis: number | null | undefined): void {
  if (typeof millis === 'number') time.set(millis / 1_000);
  else time.remove();
}

/** Metrics that are read at each scrape. What is unknown has no value. */
function createScraped(registers: Registry[]) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const ready = gauge('gatebook_ready', '1 if /health/ready responds with 200, otherwise 0.');
  const problems = gauge('gatebook_problems', 'Problems that /health/ready lists, by code and severity.', [
    'code',
    'severity',
  ]);
  const leaders = gauge('gatebook_leader_present', '1 if a process leads, by role.', ['role']);
  const ofSubscription = ['subscription', 'kind'];
  const lag = gauge(
    'gatebook_subscription_lag_events',
    'Events that a subscription is behind the log (bytes with EventStoreDB).',
    ofSubscription,
  );
  const age = gauge(
    'gatebook_subscription_lag_seconds',
    'Time since the oldest event that a subscription has not processed was committed.',
    ofSubscription,
  );
  const stopped = gauge(
    'gatebook_subscription_stopped',
    '1 if a subscription has stopped at an error.',
    ofSubscription,
  );
  const quarantined = gauge('gatebook_quarantined_projects', 'Projects whose events wait because one of them fails.');
  const lastBackup = gauge('gatebook_last_backup_timestamp_seconds', 'When the last gatebook backup finished.');
  const verified = gauge(
    'gatebook_last_backup_verified_timestamp_seconds',
    'When gatebook backup verify last read the last backup.',
  );
  const fellBack = gauge(
    'gatebook_log_fell_back_timestamp_seconds',
    'When it was last noticed that the log had lost committed events.',
  );
  const jobs = gauge('gatebook_jobs', 'Jobs by queue and state.', ['queue', 'state']);
  const oldestJob = gauge('gatebook_oldest_waiting_job_seconds', 'Time that the oldest waiting job has waited.', [
    'queue',
  ]);
  const ofStatus = [problems, leaders, lag, age, stopped, quarantined, jobs, oldestJob];

  return (readiness: Readiness, backlogs: readonly QueueBacklog[]): void => {
    for (const one of ofStatus) one.reset();
    ready.set(readiness.isReady ? 1 : 0);
    for (const { code, severity } of readiness.problems) problems.inc({ code, severity });
    if (readiness.quarantinedProjects === null) quarantined.remove();
    else quarantined.set(readiness.quarantinedProjects);
    const { lastBackup: backup, fellBackAt } = readiness.history ?? { lastBackup: null, fellBackAt: null };
    setTime(lastBackup, backup?.finishedAt);
    setTime(verified, backup?.verifiedAt);
    setTime(fellBack, fellBackAt);
    for (const role of readiness.leaders === null ? [] : ['projector', 'worker']) {
      leaders.set({ role }, readiness.leaders?.includes(role) ? 1 : 0);
    }
    for (const { name: subscription, kind, isStopped, ...late } of readiness.subscriptions) {
      const labels = { subscription, kind };
      stopped.set(labels, isStopped ? 1 : 0);
      if (late.lag !== null) lag.set(labels, late.lag);
      if (late.oldestMs !== null) age.set(labels, late.oldestMs / 1_000);
    }
    for (const { queue, counts, oldestWaitingMs } of backlogs) {
      for (const [state, count] of Object.entries(counts)) jobs.set({ queue, state }, count);
      oldestJob.set({ queue }, oldestWaitingMs / 1_000);
    }
  };
}
