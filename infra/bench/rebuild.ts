import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { runProjector } from '@gatebook/projections/run-projector';
import { mainGroup, metricsGroup } from '@gatebook/readmodel/projection-groups';
import type { Bench } from './bench.ts';
import { fillLog } from './log-of-sign-ups.ts';
import { openBenchLog } from './open-log.ts';
import type { Result } from './report.ts';

type Parts = Pick<Awaited<ReturnType<typeof openBenchLog>>, 'store' | 'pool' | 'logger'>;

/** Of a run at full size. */
const events = 200_000;
const wantedPerSecond = 50_000;
const shards = 4;
const projects = Array.from({ length: 40 }, (_, nth) => `project-${nth}`);
/** Figures for owners are small, so their group has one shard. */
const groups: readonly ProjectionGroup[] = [{ ...mainGroup, shards }, metricsGroup];

/** The next version of `main`, with changes of the table `changed`, or of all tables. */
const nextMain = (version: number, changed: string | null): ProjectionGroup => ({
  ...mainGroup,
  shards,
  version,
  tables: mainGroup.tables.map((table) =>
    changed === null || table.name === changed ? { ...table, fingerprint: `changed in ${version}` } : table,
  ),
});

/**
 * A rebuild of all read models from position 0 until they are live: reading, opening what is encrypted, rows, indexes.
 * Then new versions of `main`, of which one small table has changed, or all.
 */
export async function benchRebuild(databaseUrl: string, { scale, costs }: Pick<Bench, 'scale' | 'costs'>) {
  const { close, ...parts } = await openBenchLog(databaseUrl);
  try {
    await fillLog(parts.store, events * scale, projects);
    const head = await parts.store.head();
    const seconds = await secondsUntilLive(parts, groups, head);
    costs.figures.projectedEventMs = (seconds * 1000) / Number(head);
    const amount = `${Number(head).toLocaleString('en-US')} events`;
    const one = await secondsUntilLive(parts, [nextMain(mainGroup.version + 1, 'api_keys')], head);
    const all = await secondsUntilLive(parts, [nextMain(mainGroup.version + 2, null)], head);
    return [
      {
        name: `rebuild of all read models in ${shards} shards, ${amount}`,
        gatebook: Number(head) / seconds,
        unit: 'events/s',
        aim: { atLeast: wantedPerSecond },
      },
      {
        name: `new version of \`main\` in which \`api_keys\` changed, ${amount}`,
        ...{ gatebook: one, reference: all, referenceName: 'all tables changed', unit: 's', aim: null },
      },
    ] satisfies Result[];
  } finally {
    await close();
  }
}

async function secondsUntilLive(parts: Parts, wanted: readonly ProjectionGroup[], head: bigint): Promise<number> {
  const stop = new AbortController();
  const start = performance.now();
  const projecting = wanted.map((group) => runProjector({ ...parts, group }, stop.signal));
  await Promise.all(wanted.map((group) => untilLive(parts.pool, group, head)));
  const seconds = (performance.now() - start) / 1000;
  stop.abort();
  await Promise.all(projecting);
  return seconds;
}

async function untilLive(
  pool: Parameters<typeof listProjectionVersions>[0],
  group: ProjectionGroup,
  head: bigint,
): Promise<void> {
  for (;;) {
    const live = (await listProjectionVersions(pool, group.name)).find(({ status }) => status === 'live');
    if (live?.version === group.version && live.position >= head) return;
    await new Promise((resume) => setTimeout(resume, 50));
  }
}
