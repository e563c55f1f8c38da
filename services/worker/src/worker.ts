import type { WriteDeps } from '@gatebook/commands/deps';
import { defaultTemplates } from '@gatebook/mail/defaults';
import { renderEmail } from '@gatebook/mail/render';
import type { SharedMail } from '@gatebook/mail/sender';
import { createMailer } from '@gatebook/mail/smtp';
import { sampleVariables, variableNames } from '@gatebook/mail/variables';
import { runProjector } from '@gatebook/projections/run-projector';
import { runReactor } from '@gatebook/projections/subscriptions/reactor';
import type { ReadModels } from '@gatebook/projections/wait';
import type { Activity } from '@gatebook/readmodel/activity/activity';
import { listPendingEmails } from '@gatebook/readmodel/emails/queries';
import { mainGroup, metricsGroup } from '@gatebook/readmodel/projection-groups';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import type { IdempotencyRecords } from '@gatebook/readmodel/requests/idempotency-records';
import { takeTurns } from '@gatebook/runtime/leadership';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import { checkReadModels } from './jobs/check-read-models.ts';
import { deliverEmail } from './jobs/deliver-email.ts';
import { dropEndedEmails } from './jobs/drop-ended-emails.ts';
import { createEmailLimits, defaultLimits, type EmailLimits, migrateEmailLimits } from './jobs/email-limits.ts';
import { type CodeKeys, createCodeKeys } from './jobs/expired-code-keys.ts';
import { createJobQueue, type JobQueue, type QueuePlace } from './queue/job-queue.ts';
import { createEraser } from './reactors/erase-subjects.ts';
import { createEmailQueuer, type EmailJob } from './reactors/queue-emails.ts';
import { createSecurityNotices } from './reactors/security-notices.ts';

export type WorkerDeps = {
  write: WriteDeps;
  pool: Pool;
  /** For projecting: best with `projectorSettings`, which are too strict for anything else. */
  projectingPool: Pool;
  /** Makes a projection version for comparison where a checksum is off: acts as the projector. */
  verifyingPool: Pool;
  databaseUrl: string;
  activity: Activity;
  idempotencyRecords: Pick<IdempotencyRecords, 'forget' | 'forgetOld'>;
  logger: Logger;
  queuePlace: QueuePlace;
  db: ReadDb;
  readModels: Pick<ReadModels, 'reached'>;
  /** Where Gatebook's own pages are, for the links of security notices. */
  publicUrl: string;
  /** The deployment's mail server; null while it has none. */
  sharedMail: SharedMail | null;
  projectsMayUsePrivateHosts: boolean;
  /** Whether this process answers people right now. */
  isBusy?: () => boolean;
  /** Of the first pause after a mail that failed. */
  firstPauseMs?: number;
};

export type RunningWorker = { isLeading(): boolean; stop(): Promise<void> };

const tidyEveryMs = 60 * 60 * 1000;
const proveEveryMs = 60 * 60 * 1000;
/** A start has other things to do. */
const firstCheckMs = 2 * 60 * 1000;
const sweepEveryMs = 60 * 1000;
const sweepSize = 1_000;
/** Longer than all tries of a mail take. */
const pendingMs = 2 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
/** Metrics show 31 days. */
const keptDays = 32;

/**
 * Sends mails; and, in one process of all, computes the owners' figures, queues mails, requests security notices, finishes erasures, forgets what is old and
 * holds read models against the log.
 */
export async function startWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const { write, pool, databaseUrl, logger, queuePlace, sharedMail, firstPauseMs } = deps;
  const { projectsMayUsePrivateHosts } = deps;
  await migrateEmailLimits(pool);
  const place = { name: 'emails', place: queuePlace, logger, ...(firstPauseMs === undefined ? {} : { firstPauseMs }) };
  const emails = await createJobQueue<EmailJob>(place);
  const [mailer, limits] = [createMailer({ projectsMayUsePrivateHosts }), createEmailLimits(pool, defaultLimits)];
  const delivery = { write, mailer, limits, shared: sharedMail };
  await emails.work((job) => deliverEmail(delivery, job));
  void warmUp(logger);

  const stopping = new AbortController();
  let isLeading = false;
  const ended = takeTurns(
    { url: databaseUrl, name: 'worker', logger },
    async (signal) => {
      isLeading = true;
      try {
        await lead(deps, emails, limits, signal);
      } finally {
        isLeading = false;
      }
    },
    stopping.signal,
  );
  return {
    isLeading: () => isLeading,
    stop: async () => {
      stopping.abort();
      await ended;
      await emails.close();
      mailer.close();
    },
  };
}

async function lead(
  deps: WorkerDeps,
  emails: JobQueue<EmailJob>,
  limits: EmailLimits,
  signal: AbortSignal,
): Promise<void> {
  const { write, pool, projectingPool, activity, idempotencyRecords, logger, isBusy, db, readModels, publicUrl } = deps;
  const { store } = write;
  const codeKeys = createCodeKeys(pool, write.eraseSubject);
  await Promise.all([
    runProjector({ store, pool: projectingPool, set: metricsGroup, logger, ...(isBusy ? { isBusy } : {}) }, signal),
    runReactor({ store, pool, logger }, createEraser({ write, activity, idempotencyRecords, codeKeys }), signal),
    runReactor({ store, pool, logger }, createEmailQueuer(emails), signal),
    runReactor(
      { store, pool, logger },
      createSecurityNotices({ write: { ...write, publicUrl }, db, readModels }),
      signal,
    ),
    sweep(deps, emails, codeKeys, signal),
    tidy(deps, limits, signal),
    prove(deps, signal),
  ]);
}

/**
 * Mails whose job got lost with the queue's own memory are queued again, and those that nobody can have sent any more are
 * dropped. Keys of expired codes are erased.
 */
async function sweep(
  { db, write, logger }: WorkerDeps,
  emails: JobQueue<EmailJob>,
  codeKeys: CodeKeys,
  signal: AbortSignal,
): Promise<void> {
  await pause(sweepEveryMs, signal);
  while (!signal.aborted) {
    const now = Date.parse(write.now());
    const ago = (ms: number) => new Date(now - ms).toISOString();
    try {
      for (const { id: emailId, jobId } of await listPendingEmails(db, ago(pendingMs), sweepSize)) {
        await emails.add(jobId, { emailId });
      }
      await dropEndedEmails(db, write, sweepSize);
    } catch (error) {
      logger.warn({ err: error }, 'waiting mails could not be looked through');
    }
    await codeKeys
      .eraseExpired(write.now(), sweepSize)
      .catch((error: unknown) => logger.warn({ err: error }, 'could not erase keys of expired codes'));
    await pause(sweepEveryMs, signal);
  }
}

async function tidy(
  { activity, idempotencyRecords, write, logger }: WorkerDeps,
  limits: EmailLimits,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const at = Date.parse(write.now());
    const firstKeptDay = new Date(at - keptDays * dayMs).toISOString().slice(0, 10);
    await Promise.all([
      activity.forgetDaysBefore(firstKeptDay),
      idempotencyRecords.forgetOld(new Date(at).toISOString()),
      limits.forgetBefore(new Date(at - 2 * dayMs).toISOString()),
    ]).catch((error: unknown) => logger.warn({ err: error }, 'what is old could not be removed'));
    await pause(tidyEveryMs, signal);
  }
}

async function prove({ verifyingPool: pool, write, logger }: WorkerDeps, signal: AbortSignal): Promise<void> {
  await pause(firstCheckMs, signal);
  while (!signal.aborted) {
    for (const set of [mainGroup, metricsGroup]) {
      await checkReadModels({ pool, store: write.store, set, now: write.now, logger }).catch((error: unknown) =>
        logger.warn({ err: error, set: set.name }, 'read models could not be held against the log'),
      );
    }
    await pause(proveEveryMs, signal);
  }
}

/** The first mail of a process would wait for everything that drawing a mail loads. */
async function warmUp(logger: Logger): Promise<void> {
  const type = 'magic_link';
  await renderEmail({
    template: defaultTemplates[type],
    variables: sampleVariables(type),
    known: variableNames[type],
  }).catch((error: unknown) => logger.warn({ err: error }, 'mails can not be drawn'));
}
