import { once } from 'node:events';
import { forgetOldUserBatches } from '@gatebook/readmodel/user-batches/user-batches';
import { forgetOldDeliveries } from '@gatebook/readmodel/webhooks/delivery-tables';
import { pause } from '@gatebook/runtime/pause';
import { deleteUnusedCounts } from '../custom-metrics/count-metrics.ts';
import type { WorkerDeps } from '../deps.ts';
import { archiveStreams } from '../jobs/archive-streams.ts';
import type { EmailLimits } from '../jobs/email-limits.ts';
import { expireRejections } from '../jobs/expire-rejections.ts';
import { forgetLateActivity } from '../jobs/forget-late-activity.ts';
import { rollUpActivity } from '../jobs/roll-up-activity.ts';
import type { BlobKeeper } from '../jobs/unused-blobs.ts';
import { type RepeatedJob, repeat } from './repeat.ts';

const everyMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
const keptLimitsMs = 2 * dayMs;
const keptDeliveriesMs = 30 * dayMs;
const keptBatchesMs = 30 * dayMs;
/** Usually sooner. Projects that take longer are counted the next time. */
const projectedWithinMs = 10_000;

/** Rolls up, archives and deletes what is too old to be kept as it is. */
export async function cleanUp(
  deps: WorkerDeps,
  limits: EmailLimits,
  blobKeeper: BlobKeeper,
  signal: AbortSignal,
): Promise<void> {
  const { pool, db, readModels, activity, idempotencyRecords, write, logger } = deps;
  const { now } = write;
  const ago = (ms: number) => new Date(Date.parse(now()) - ms).toISOString();
  const jobs: readonly RepeatedJob[] = [
    { run: () => rollUp(deps, signal), failure: 'could not count active users' },
    { run: () => idempotencyRecords.forgetOld(now()), failure: 'could not delete idempotency records' },
    { run: () => limits.forgetBefore(ago(keptLimitsMs)), failure: 'could not delete counts of emails' },
    { run: () => forgetOldUserBatches(pool, ago(keptBatchesMs)), failure: 'could not delete batches of users' },
    {
      run: () => forgetOldDeliveries(pool, ago(keptDeliveriesMs), signal),
      failure: 'could not delete webhook messages',
    },
    { run: () => archiveStreams(pool, now(), signal), failure: 'could not archive streams' },
    { run: () => expireRejections({ pool, db, activity }, now(), signal), failure: 'could not delete rejections' },
    { run: () => forgetLateActivity({ pool, activity }, now(), signal), failure: 'could not forget erased activity' },
    { run: () => blobKeeper.removeUnused(now(), signal), failure: 'could not delete unused blobs' },
    { run: () => deleteUnusedCounts({ db, pool }), failure: 'could not delete counts of deleted metrics' },
  ];
  // On a first start the worker leads before there are read models.
  await Promise.race([readModels.ready(['main']), once(signal, 'abort')]).catch((error: unknown) =>
    logger.warn({ err: error }, 'could not wait for the read models'),
  );
  await repeat(jobs, { everyMs, logger }, signal);
}

async function rollUp({ pool, db, readModels, write }: WorkerDeps, signal: AbortSignal): Promise<void> {
  const now = write.now();
  const group = 'metrics';
  const head = await write.store.head();
  await Promise.race([readModels.reached(head, projectedWithinMs, [], { group }), pause(projectedWithinMs, signal)]);
  const isProjected = async (projectId: string) =>
    (await readModels.reached(head, 0, [projectId], { group })) === 'reached';
  await rollUpActivity({ pool, db, isProjected }, now, signal);
}
