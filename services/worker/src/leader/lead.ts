import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { type Reactor, runReactor } from '@gatebook/projections/subscriptions/reactor';
import { allGroups, pastGroup } from '@gatebook/readmodel/projection-groups';
import { forgetWebhooks } from '@gatebook/readmodel/webhooks/delivery-tables';
import { pause } from '@gatebook/runtime/pause';
import { followMetrics } from '../custom-metrics/count-metrics.ts';
import type { WorkerDeps } from '../deps.ts';
import { checkReadModels } from '../jobs/check-read-models.ts';
import type { EmailLimits } from '../jobs/email-limits.ts';
import { createCodeKeys } from '../jobs/expired-code-keys.ts';
import { findKeyProjects } from '../jobs/find-key-projects.ts';
import { createBlobKeeper } from '../jobs/unused-blobs.ts';
import { reportProblems } from '../queue/queue-reports.ts';
import { findProblems, type Queues } from '../queue/queues.ts';
import { createEraser } from '../reactors/erase-subjects.ts';
import { createEmailQueuer } from '../reactors/queue-emails.ts';
import { createSecurityNotices } from '../reactors/security-notices.ts';
import { runUserBatches } from '../user-batches/run-user-batches.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { cleanUp } from './clean-up.ts';
import { projectGroups } from './project-groups.ts';
import { repeat } from './repeat.ts';
import { sweep } from './sweep.ts';

const reportEveryMs = 10_000;
const hourMs = 60 * 60 * 1000;
/** Checks don't compete with the work of a start. */
const firstCheckMs = 2 * 60 * 1000;

export type LeaderParts = { queues: Queues; limits: EmailLimits; webhooks: Webhooks };

/** Does what one process does for all, until `signal` aborts. */
export async function lead(deps: WorkerDeps, parts: LeaderParts, signal: AbortSignal): Promise<void> {
  const { write, pool, listener, projectingPool, activity, idempotencyRecords, logger, isBusy, db, readModels } = deps;
  const { queues, limits, webhooks } = parts;
  const { groups = allGroups, publicUrl } = deps;
  const { store, trace } = write;
  const reacting = { store, pool, logger, ...(listener && { listener }), ...(trace && { trace }) };
  const projecting = { ...reacting, pool: projectingPool, ...(isBusy && { isBusy }) };
  const codeKeys = createCodeKeys(pool, write.eraseSubject);
  const blobKeeper = createBlobKeeper({ pool, store, blobs: createPostgresBlobStore(pool) });
  const eraser = createEraser({
    ...{ write, activity, idempotencyRecords, codeKeys },
    forgetWebhooks: (of, stopping) => forgetWebhooks(pool, of, stopping),
  });
  await Promise.all([
    projectGroups(projecting, groups.includes(pastGroup), signal),
    runReactor(reacting, eraser, signal),
    runReactor(reacting, createEmailQueuer(queues), signal),
    runReactor(reacting, blobKeeper.reactor, signal),
    runReactor(reacting, createSecurityNotices({ write: { ...write, publicUrl }, db, readModels }), signal),
    webhooks.lead(signal),
    followMetrics({ pool, db, store, readModels, logger, ...(isBusy && { isBusy }) }, signal),
    runUserBatches({ ...reacting, write, db, readModels, idempotencyRecords, ...(isBusy && { isBusy }) }, signal),
    sweep(deps, queues, codeKeys, signal),
    cleanUp(deps, limits, blobKeeper, signal),
    checkConsistency(deps, signal),
    findProjects(deps, eraser, signal),
    reportQueues(deps, queues, signal),
  ]);
}

async function checkConsistency(deps: WorkerDeps, signal: AbortSignal): Promise<void> {
  const { verifyingPool: pool, write, groups = allGroups, logger } = deps;
  await pause(firstCheckMs, signal);
  const checks = groups.map((group) => ({
    run: () => checkReadModels({ pool, store: write.store, group, now: write.now, logger, signal }),
    failure: 'could not check read models',
    fields: { group: group.name },
  }));
  await repeat(checks, { everyMs: hourMs, logger }, signal);
}

function findProjects({ write, pool, logger }: WorkerDeps, eraser: Reactor, signal: AbortSignal): Promise<void> {
  const run = () => findKeyProjects({ write, pool, eraser }, signal);
  return repeat([{ run, failure: 'could not find the projects of subject keys' }], { everyMs: hourMs, logger }, signal);
}

function reportQueues({ pool, logger }: WorkerDeps, queues: Queues, signal: AbortSignal): Promise<void> {
  const run = async () => reportProblems(pool, await findProblems(queues));
  return repeat(
    [{ run, failure: 'could not report the state of the queues' }],
    { everyMs: reportEveryMs, logger },
    signal,
  );
}
