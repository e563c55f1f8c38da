import { once } from 'node:events';
import type { WriteDeps } from '@gatebook/commands/deps';
import type { ResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { defaultTemplate } from '@gatebook/mail/defaults';
import { renderEmail } from '@gatebook/mail/render';
import type { SharedMail } from '@gatebook/mail/sender';
import { createMailer } from '@gatebook/mail/smtp';
import { sampleVariables, variableNames } from '@gatebook/mail/variables';
import type { Problem } from '@gatebook/projections/operations/problems';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { dropProjectionGroup } from '@gatebook/projections/promotion';
import { type ProjectorParts, runProjector } from '@gatebook/projections/run-projector';
import { type Reactor, runReactor } from '@gatebook/projections/subscriptions/reactor';
import type { ReadModels } from '@gatebook/projections/wait';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import { findUserLanguage } from '@gatebook/readmodel/activity/queries';
import type { DueDeletion } from '@gatebook/readmodel/due-deletions';
import { listIncompleteMailings } from '@gatebook/readmodel/emails/mailings';
import { listPendingEmails } from '@gatebook/readmodel/emails/queries';
import { allGroups, auditGroup, eventsGroup, metricsGroup, pastGroup } from '@gatebook/readmodel/projection-groups';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { IdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import { forgetOldDeliveries, forgetWebhooks } from '@gatebook/readmodel/webhooks/delivery-tables';
import type { Tracers } from '@gatebook/runtime/instruments';
import { takeTurns } from '@gatebook/runtime/leadership';
import type { Listener } from '@gatebook/runtime/listener';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import { deleteUnusedCounts, followMetrics } from './custom-metrics/count-metrics.ts';
import { ignoreDeletedProject } from './in-deleted-project.ts';
import { archiveStreams } from './jobs/archive-streams.ts';
import { checkReadModels } from './jobs/check-read-models.ts';
import { deliverEmail } from './jobs/deliver-email.ts';
import { dropEndedEmails } from './jobs/drop-ended-emails.ts';
import { createEmailLimits, defaultLimits, type EmailLimits, migrateEmailLimits } from './jobs/email-limits.ts';
import { eraseDue } from './jobs/erase-due.ts';
import { closeEndedMailings, expandMailing } from './jobs/expand-mailing.ts';
import { expireRejections } from './jobs/expire-rejections.ts';
import { type CodeKeys, createCodeKeys } from './jobs/expired-code-keys.ts';
import { findKeyProjects } from './jobs/find-key-projects.ts';
import { forgetLateActivity } from './jobs/forget-late-activity.ts';
import { rollUpActivity } from './jobs/roll-up-activity.ts';
import { type BlobKeeper, createBlobKeeper } from './jobs/unused-blobs.ts';
import { createJobQueue, type JobQueue, type QueuePlace } from './queue/job-queue.ts';
import { type QueueBacklog, queueBacklogs, queueProblems } from './queue/queue-problems.ts';
import { reportQueues } from './queue/queue-reports.ts';
import { createEraser } from './reactors/erase-subjects.ts';
import { createEmailQueuer, type EmailJob, type MailingJob } from './reactors/queue-emails.ts';
import { createSecurityNotices } from './reactors/security-notices.ts';
import { startWebhooks, type Webhooks } from './webhooks/webhooks.ts';

export type WorkerDeps = {
  write: WriteDeps;
  pool: Pool;
  /** Spares looks at what announces its changes. */
  listener?: Listener;
  /** For projections; use `projectorSettings`, which are too strict for other work. */
  projectingPool: Pool;
  /** Has the role of the projector, because it builds a projection version to compare with. */
  verifyingPool: Pool;
  /** For sending webhooks; use `hotSettings`. */
  webhooksPool: Pool;
  databaseUrl: string;
  /** The projection groups of the installation. */
  groups?: readonly ProjectionGroup[];
  activity: Activity;
  idempotencyRecords: Pick<IdempotencyRecords, 'forget' | 'forgetOld'>;
  logger: Logger;
  queuePlace: QueuePlace;
  db: ReadDb;
  readModels: Pick<ReadModels, 'reached' | 'ready' | 'isQuarantined' | 'position' | 'continuity'>;
  responseCipher: ResponseCipher;
  /** Whether webhooks may be sent into private networks. */
  outgoing: { allowPrivate: boolean };
  /** URL of Gatebook's pages, for the links in security notices. */
  publicUrl: string;
  /** The mail server of the installation; null without one. */
  sharedMail: SharedMail | null;
  projectsMayUsePrivateHosts: boolean;
  /** Whether this process is handling requests. */
  isBusy?: () => boolean;
  /** Called with the queue's name for each failed attempt of a job. */
  onJobFailure?: (queue: string) => void;
  tracers?: Pick<Tracers, 'trace' | 'currentTrace'>;
  /** Pause before the first retry of a failed email. */
  firstPauseMs?: number;
};

type Queues = { emails: JobQueue<EmailJob>; mailings: JobQueue<MailingJob> };
/** Sending mailings takes less of the mail servers' capacity than sending all other emails. */
const mailingConcurrency = 4;

export type RunningWorker = {
  isLeading(): boolean;
  /** Problems of the queues. */
  findProblems(): Promise<Problem[]>;
  /** Queues that respond. */
  findBacklogs(): Promise<QueueBacklog[]>;
  stop(): Promise<void>;
};

const cleanUpEveryMs = 60 * 60 * 1000;
/** Usually sooner. Projects that take longer are counted the next time. */
const projectedWithinMs = 10_000;
const checkEveryMs = 60 * 60 * 1000;
/** Until then, the process and its clients are busy with the start. */
const warmUpMs = 30_000;
/** Checks don't compete with the work of a start. */
const firstCheckMs = 2 * 60 * 1000;
const retryMs = 5_000;
const sweepEveryMs = 60 * 1000;
const sweepSize = 1_000;
/** All attempts to send an email take less time. */
const pendingMs = 2 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
const keptDeliveriesMs = 30 * dayMs;

/**
 * Sends emails and webhooks. The leading process also projects the metrics, counts custom metrics, queues emails and
 * webhooks, requests security notices, finishes erasures, deletes old rows and checks the consistency of read models.
 */
export async function startWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const { write, pool, databaseUrl, logger, queuePlace, sharedMail, firstPauseMs } = deps;
  const { projectsMayUsePrivateHosts, publicUrl, db, readModels, onJobFailure: onFailure, tracers, isBusy } = deps;
  await migrateEmailLimits(pool);
  const place = {
    place: queuePlace,
    logger,
    ...(isBusy && { isBusy }),
    ...(tracers && { tracers }),
    ...(onFailure && { onFailure }),
    ...(firstPauseMs === undefined ? {} : { firstPauseMs }),
  };
  const emails = await createJobQueue<EmailJob>({ name: 'emails', ...place });
  const mailings = await createJobQueue<MailingJob>({ name: 'mailings', concurrency: mailingConcurrency, ...place });
  const [mailer, limits] = [createMailer({ projectsMayUsePrivateHosts }), createEmailLimits(pool, defaultLimits)];
  const findLanguage = (projectId: string, userId: string) => findUserLanguage(db, projectId, userId);
  const delivery = { write, mailer, limits, shared: sharedMail, publicUrl, findLanguage };
  const deliver = async (job: EmailJob) => (await ignoreDeletedProject(deliverEmail(delivery, job))) ?? 'done';
  await emails.work(deliver);
  await mailings.work(async (job) => {
    if (!('mailingId' in job)) return deliver(job);
    return (await ignoreDeletedProject(expandMailing({ write, db, readModels }, job))) ?? 'done';
  });

  const webhooks = await startWebhooks({ ...deps, pool: deps.webhooksPool });
  const stopping = new AbortController();
  void warmUp(logger, stopping.signal);
  let isLeading = false;
  const ended = takeTurns(
    { url: databaseUrl, name: 'worker', logger },
    async (signal) => {
      isLeading = true;
      try {
        await lead(deps, { emails, mailings }, limits, webhooks, signal);
      } finally {
        isLeading = false;
      }
    },
    stopping.signal,
  );
  return {
    isLeading: () => isLeading,
    findProblems: () => findProblems({ emails, mailings }),
    findBacklogs: async () => (await Promise.all([queueBacklogs([emails, mailings]), webhooks.findBacklogs()])).flat(),
    stop: async () => {
      stopping.abort();
      await ended;
      await webhooks.stop();
      await emails.close();
      await mailings.close();
      mailer.close();
    },
  };
}

const groupsOf = ({ groups = allGroups }: WorkerDeps) => groups;

/** Erasures would not reach versions that nobody projects, so they are deleted where the past is not kept. */
async function projectPast(
  projecting: Omit<ProjectorParts, 'group'>,
  isKept: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (isKept) return runProjector({ ...projecting, group: pastGroup }, signal);
  while (!signal.aborted) {
    try {
      return await dropProjectionGroup(projecting.pool, pastGroup.name);
    } catch (error) {
      projecting.logger.warn({ err: error, group: pastGroup.name }, 'could not delete the past, retrying');
      await pause(retryMs, signal);
    }
  }
}

const findProblems = async ({ emails, mailings }: Queues): Promise<Problem[]> =>
  (await Promise.all([queueProblems(emails), queueProblems(mailings)])).flat();

async function lead(
  deps: WorkerDeps,
  queues: Queues,
  limits: EmailLimits,
  webhooks: Webhooks,
  signal: AbortSignal,
): Promise<void> {
  const {
    write,
    pool,
    listener,
    projectingPool,
    activity,
    idempotencyRecords,
    logger,
    isBusy,
    db,
    readModels,
    publicUrl,
  } = deps;
  const { store, trace } = write;
  const reacting = { store, pool, logger, ...(listener && { listener }), ...(trace && { trace }) };
  const projecting = { ...reacting, pool: projectingPool, ...(isBusy && { isBusy }) };
  const codeKeys = createCodeKeys(pool, write.eraseSubject);
  const blobKeeper = createBlobKeeper({ pool, store, blobs: createPostgresBlobStore(pool) });
  const eraser = createEraser({
    ...{ write, activity, idempotencyRecords, codeKeys },
    forgetWebhooks: (of) => forgetWebhooks(pool, of),
  });
  await Promise.all([
    runProjector({ ...projecting, group: metricsGroup }, signal),
    runProjector({ ...projecting, group: auditGroup }, signal),
    runProjector({ ...projecting, group: eventsGroup }, signal),
    projectPast(projecting, groupsOf(deps).includes(pastGroup), signal),
    runReactor(reacting, eraser, signal),
    runReactor(reacting, createEmailQueuer(queues), signal),
    runReactor(reacting, blobKeeper.reactor, signal),
    runReactor(reacting, createSecurityNotices({ write: { ...write, publicUrl }, db, readModels }), signal),
    webhooks.lead(signal),
    followMetrics({ pool, db, store, readModels, logger, ...(isBusy && { isBusy }) }, signal),
    sweep(deps, queues, codeKeys, signal),
    cleanUp(deps, limits, blobKeeper, signal),
    findProjects(deps, eraser, signal),
    checkConsistency(deps, signal),
    reportQueues(
      pool,
      () => findProblems(queues),
      (error) => logger.warn({ err: error }, 'could not report the state of the queues'),
      signal,
    ),
  ]);
}

/**
 * Queues emails and mailings again whose jobs were lost with the queue, drops emails that can no longer be sent, closes
 * their mailings, and erases what was deleted after their grace period and keys of expired codes.
 */
async function sweep(
  { db, write, logger }: WorkerDeps,
  queues: Queues,
  codeKeys: CodeKeys,
  signal: AbortSignal,
): Promise<void> {
  let after: DueDeletion | undefined;
  await pause(sweepEveryMs, signal);
  while (!signal.aborted) {
    const now = Date.parse(write.now());
    try {
      await queueAgain(db, queues, new Date(now - pendingMs).toISOString());
      await dropEndedEmails(db, write, sweepSize);
      await closeEndedMailings({ db, write }, sweepSize);
    } catch (error) {
      logger.warn({ err: error }, 'could not sweep pending emails');
    }
    try {
      ({ next: after } = await eraseDue({ db, write, logger }, { after, limit: sweepSize }, signal));
    } catch (error) {
      logger.warn({ err: error }, 'could not erase what was deleted');
    }
    await codeKeys
      .eraseExpired(write.now(), sweepSize)
      .catch((error: unknown) => logger.warn({ err: error }, 'could not erase keys of expired codes'));
    await pause(sweepEveryMs, signal);
  }
}

async function queueAgain(db: ReadDb, { emails, mailings }: Queues, before: string): Promise<void> {
  for (const ofMailings of [false, true]) {
    const queue = ofMailings ? mailings : emails;
    const pending = await listPendingEmails(db, before, { limit: sweepSize, ofMailings });
    for (const { id: emailId, jobId } of pending) await queue.add(jobId, { emailId });
  }
  const incomplete = await listIncompleteMailings(db, before, sweepSize);
  for (const { id: mailingId, jobId } of incomplete) await mailings.add(jobId, { mailingId });
}

async function cleanUp(
  { pool, db, readModels, activity, idempotencyRecords, write, logger }: WorkerDeps,
  limits: EmailLimits,
  blobKeeper: BlobKeeper,
  signal: AbortSignal,
): Promise<void> {
  const warn = (error: unknown) => logger.warn({ err: error }, 'could not delete old rows');
  // On a first start the worker leads before there are read models.
  await Promise.race([readModels.ready(['main']), once(signal, 'abort')]).catch(warn);
  while (!signal.aborted) {
    const at = Date.parse(write.now());
    await Promise.all([
      rollUp({ pool, db, readModels, write }, signal),
      idempotencyRecords.forgetOld(new Date(at).toISOString()),
      limits.forgetBefore(new Date(at - 2 * dayMs).toISOString()),
      forgetOldDeliveries(pool, new Date(at - keptDeliveriesMs).toISOString()),
      archiveStreams(pool, write.now(), signal),
      expireRejections({ pool, db, activity }, write.now(), signal),
      forgetLateActivity({ pool, activity }, write.now(), signal),
      blobKeeper.removeUnused(write.now(), signal),
      deleteUnusedCounts({ db, pool }),
    ]).catch(warn);
    await pause(cleanUpEveryMs, signal);
  }
}

async function rollUp(
  { pool, db, readModels, write }: Pick<WorkerDeps, 'pool' | 'db' | 'readModels' | 'write'>,
  signal: AbortSignal,
): Promise<void> {
  const now = write.now();
  const group = 'metrics';
  const head = await write.store.head();
  await Promise.race([readModels.reached(head, projectedWithinMs, [], { group }), pause(projectedWithinMs, signal)]);
  const isProjected = async (projectId: string) =>
    (await readModels.reached(head, 0, [projectId], { group })) === 'reached';
  await rollUpActivity({ pool, db, isProjected }, now, signal);
}

async function findProjects({ write, pool, logger }: WorkerDeps, eraser: Reactor, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await findKeyProjects({ write, pool, eraser }, signal).catch((error: unknown) =>
      logger.warn({ err: error }, 'could not find the projects of subject keys'),
    );
    await pause(cleanUpEveryMs, signal);
  }
}

async function checkConsistency(deps: WorkerDeps, signal: AbortSignal): Promise<void> {
  const { verifyingPool: pool, write, logger } = deps;
  const groups = groupsOf(deps);
  await pause(firstCheckMs, signal);
  while (!signal.aborted) {
    for (const group of groups) {
      await checkReadModels({ pool, store: write.store, group, now: write.now, logger }).catch((error: unknown) =>
        logger.warn({ err: error, group: group.name }, 'could not check read models'),
      );
    }
    await pause(checkEveryMs, signal);
  }
}

/** Renders an email soon after the start, so that the first real one doesn't wait for modules to load. */
async function warmUp(logger: Logger, signal: AbortSignal): Promise<void> {
  await pause(warmUpMs, signal);
  if (signal.aborted) return;
  const type = 'magic_link';
  await renderEmail({
    template: defaultTemplate(type),
    variables: sampleVariables(type),
    known: variableNames[type],
  }).catch((error: unknown) => logger.warn({ err: error }, 'could not render an email'));
}
