import { dropProjectionGroup } from '@gatebook/projections/promotion';
import { type ProjectorParts, runProjector } from '@gatebook/projections/run-projector';
import { auditGroup, eventsGroup, metricsGroup, pastGroup } from '@gatebook/readmodel/projection-groups';
import { pause } from '@gatebook/runtime/pause';

const retryMs = 5_000;

type Projecting = Omit<ProjectorParts, 'group'>;

/** Projects all groups but the main one, which the projector projects. */
export async function projectGroups(projecting: Projecting, keepsPast: boolean, signal: AbortSignal): Promise<void> {
  await Promise.all([
    ...[metricsGroup, auditGroup, eventsGroup].map((group) => runProjector({ ...projecting, group }, signal)),
    keepsPast ? runProjector({ ...projecting, group: pastGroup }, signal) : dropPast(projecting, signal),
  ]);
}

/** Erasures would not reach versions that nobody projects, so they are deleted where the past is not kept. */
async function dropPast({ pool, logger }: Projecting, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await dropProjectionGroup(pool, pastGroup.name);
    } catch (error) {
      logger.warn({ err: error, group: pastGroup.name }, 'could not delete the past, retrying');
      await pause(retryMs, signal);
    }
  }
}
