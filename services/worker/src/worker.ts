import { defaultTemplate } from '@gatebook/mail/defaults';
import { renderEmail } from '@gatebook/mail/render';
import { createMailer } from '@gatebook/mail/smtp';
import { sampleVariables, variableNames } from '@gatebook/mail/variables';
import type { Problem } from '@gatebook/projections/operations/problems';
import { findUserLanguage } from '@gatebook/readmodel/activity/queries';
import { takeTurns } from '@gatebook/runtime/leadership';
import type { Logger } from '@gatebook/runtime/logger';
import { pause } from '@gatebook/runtime/pause';
import type { WorkerDeps } from './deps.ts';
import { ignoreDeletedProject } from './in-deleted-project.ts';
import { deliverEmail } from './jobs/deliver-email.ts';
import { createEmailLimits, defaultLimits, migrateEmailLimits } from './jobs/email-limits.ts';
import { expandMailing } from './jobs/expand-mailing.ts';
import { lead } from './leader/lead.ts';
import { createJobQueue } from './queue/job-queue.ts';
import { type QueueBacklog, queueBacklogs } from './queue/queue-problems.ts';
import { findProblems, type Queues } from './queue/queues.ts';
import type { EmailJob, MailingJob } from './reactors/queue-emails.ts';
import { startWebhooks } from './webhooks/webhooks.ts';

/** Sending mailings takes less of the mail servers' capacity than sending all other emails. */
const mailingConcurrency = 4;
/** Until then, the process and its clients are busy with the start. */
const warmUpMs = 30_000;

export type RunningWorker = {
  isLeading(): boolean;
  /** Problems of the queues. */
  findProblems(): Promise<Problem[]>;
  /** Queues that respond. */
  findBacklogs(): Promise<QueueBacklog[]>;
  stop(): Promise<void>;
};

/**
 * Sends emails and webhooks. The leading process also projects the metrics, counts custom metrics, runs batches of
 * users, queues emails and webhooks, requests security notices, finishes erasures, deletes old rows and checks the
 * consistency of read models.
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
  const queues: Queues = { emails, mailings };
  const [mailer, limits] = [createMailer({ projectsMayUsePrivateHosts }), createEmailLimits(pool, defaultLimits)];
  const findLanguage = (projectId: string, userId: string) => findUserLanguage(db, projectId, userId);
  const delivery = { write, mailer, limits, shared: sharedMail, publicUrl, findLanguage };
  const stopping = new AbortController();
  const deliver = async (job: EmailJob) => (await ignoreDeletedProject(deliverEmail(delivery, job))) ?? 'done';
  await emails.work(deliver);
  await mailings.work(async (job) => {
    if (!('mailingId' in job)) return deliver(job);
    return (await ignoreDeletedProject(expandMailing({ write, db, readModels }, job, stopping.signal))) ?? 'done';
  });

  const webhooks = await startWebhooks({ ...deps, pool: deps.webhooksPool });
  void warmUp(logger, stopping.signal);
  let isLeading = false;
  const ended = takeTurns(
    { url: databaseUrl, name: 'worker', logger },
    async (signal) => {
      isLeading = true;
      try {
        await lead(deps, { queues, limits, webhooks }, signal);
      } finally {
        isLeading = false;
      }
    },
    stopping.signal,
  );
  return {
    isLeading: () => isLeading,
    findProblems: () => findProblems(queues),
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
