import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { runProjector } from '@gatebook/projections/run-projector';
import { mainGroup, metricsGroup } from '@gatebook/readmodel/projection-groups';
import type { Bench } from './bench.ts';
import { fillLog } from './log-of-sign-ups.ts';
import { openBenchLog } from './open-log.ts';
import type { Result } from './report.ts';

/** Of a run at full size. */
const events = 200_000;
const wantedPerSecond = 50_000;
const shards = 4;
const projects = Array.from({ length: 40 }, (_, nth) => `project-${nth}`);
/** Figures for owners are small, so their group has one shard. */
const groups: readonly ProjectionGroup[] = [{ ...mainGroup, shards }, metricsGroup];

/**
 * A rebuild of all read models from position 0 until they are live: reading, opening what is encrypted, rows, indexes.
 */
export async function benchRebuild(
  databaseUrl: string,
  { scale, costs }: Pick<Bench, 'scale' | 'costs'>,
): Promise<Result> {
  const { store, pool, logger, close } = await openBenchLog(databaseUrl);
  try {
    await fillLog(store, events * scale, projects);
    const head = await store.head();
    const stop = new AbortController();
    const start = performance.now();
    const projecting = groups.map((group) => runProjector({ store, pool, group, logger }, stop.signal));
    await Promise.all(groups.map((group) => untilLive(pool, group, head)));
    const seconds = (performance.now() - start) / 1000;
    costs.figures.projectedEventMs = (seconds * 1000) / Number(head);
    stop.abort();
    await Promise.all(projecting);
    return {
      name: `rebuild of all read models in ${shards} shards, ${Number(head).toLocaleString('en-US')} events`,
      gatebook: Number(head) / seconds,
      unit: 'events/s',
      aim: { atLeast: wantedPerSecond },
    };
  } finally {
    await close();
  }
}

async function untilLive(
  pool: Parameters<typeof listProjectionVersions>[0],
  group: ProjectionGroup,
  head: bigint,
): Promise<void> {
  for (;;) {
    const live = (await listProjectionVersions(pool, group.name)).find(({ status }) => status === 'live');
    if (live && live.position >= head) return;
    await new Promise((resume) => setTimeout(resume, 50));
  }
}
