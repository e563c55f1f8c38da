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
import { repeat } from './repeat.ts';

const everyMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
const keptLimitsMs = 2 * dayMs;
const keptDeliveriesMs = 30 * dayMs;
const keptBatchesMs = 30 * dayMs;
/** Usually sooner. Projects that take longer are counted the next time. */
const projectedWithinMs = 10_000;
const failure = 'could not delete old rows';

/** Rolls up, archives and deletes what is too old to be kept as it is. */
export async function cleanUp(
  deps: WorkerDeps,
  limits: EmailLimits,
  blobKeeper: BlobKeeper,
  signal: AbortSignal,
): Promise<void> {
  const { pool, db, readModels, activity, idempotencyRecords, write, logger } = deps;

  async function deleteOldRows(): Promise<void> {
    const now = write.now();
    const ago = (ms: number) => new Date(Date.parse(now) - ms).toISOString();
    await Promise.all([
      rollUp(deps, signal),
      idempotencyRecords.forgetOld(ago(0)),
      limits.forgetBefore(ago(keptLimitsMs)),
      forgetOldUserBatches(pool, ago(keptBatchesMs)),
      forgetOldDeliveries(pool, ago(keptDeliveriesMs), signal),
      archiveStreams(pool, now, signal),
      expireRejections({ pool, db, activity }, now, signal),
      forgetLateActivity({ pool, activity }, now, signal),
      blobKeeper.removeUnused(now, signal),
      deleteUnusedCounts({ db, pool }),
    ]);
  }

  // On a first start the worker leads before there are read models.
  await Promise.race([readModels.ready(['main']), once(signal, 'abort')]).catch((error: unknown) =>
    logger.warn({ err: error }, failure),
  );
  await repeat([{ run: deleteOldRows, failure }], { everyMs, logger }, signal);
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
