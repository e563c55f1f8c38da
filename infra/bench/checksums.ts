import { startChecksums } from '@gatebook/projections/consistency/checksum';
import { createIndexes } from '@gatebook/projections/projection-tables';
import { createProjectionVersion, type ProjectionVersion } from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { fillLog } from './log-of-sign-ups.ts';
import { openBenchLog } from './open-log.ts';
import type { Result } from './report.ts';
import { median } from './statistics.ts';

const built = 60_000;
const rebuildPage = 10_000;
/** Events per batch of what follows live, and how many batches of each projection version are measured. */
const live = [
  { size: 1, batches: 1_500 },
  { size: 20, batches: 400 },
  { size: 500, batches: 40 },
];

type Log = Awaited<ReturnType<typeof openBenchLog>>;

/**
 * What checksums cost the projector: two projection versions of the same log, one with and one without, batch by batch
 * in turns.
 */
export async function benchChecksums(databaseUrl: string): Promise<Result[]> {
  const log = await openBenchLog(databaseUrl);
  try {
    const measured = live.reduce((sum, { size, batches }) => sum + size * batches, 0);
    await fillLog(log.store, built + measured);
    const [kept, plain] = [await build(log), await build(log)];
    const start = performance.now();
    await startChecksums(log.pool, kept.projectionVersion);
    const counting = performance.now() - start;
    const rebuild: Result = {
      name: `rebuild with checksums, ${built.toLocaleString('en-US')} events`,
      gatebook: (built / (kept.ms + plain.ms + 2 * counting)) * 2000,
      reference: (built / (kept.ms + plain.ms)) * 2000,
      referenceName: 'the same without checksums',
      unit: 'events/s',
      aim: { ratio: 0.85 },
    };
    return [rebuild, ...(await benchLive(log, kept.projectionVersion, plain.projectionVersion))];
  } finally {
    await log.close();
  }
}

async function build({ pool, store }: Log): Promise<{ projectionVersion: ProjectionVersion; ms: number }> {
  const projectionVersion = await createProjectionVersion(pool, { ...mainGroup, name: 'bench' });
  const start = performance.now();
  let position = 0n;
  while (position < built) {
    const events = await store.readAll(position, Math.min(rebuildPage, built - Number(position)));
    ({ position } = await projectBatch(
      pool,
      mainGroup,
      { ...projectionVersion, tables: mainGroup.tables },
      position,
      events,
    ));
  }
  await createIndexes(pool, projectionVersion);
  return { projectionVersion, ms: performance.now() - start };
}

async function benchLive(log: Log, kept: ProjectionVersion, plain: ProjectionVersion): Promise<Result[]> {
  const results: Result[] = [];
  let position = BigInt(built);
  for (const { size, batches } of live) {
    const ms = { kept: [] as number[], plain: [] as number[] };
    for (let turn = 0; turn < batches; turn += 1) {
      const order = turn % 2 === 0 ? (['kept', 'plain'] as const) : (['plain', 'kept'] as const);
      for (const which of order) {
        ms[which].push(await timed(log, which === 'kept' ? kept : plain, position, size));
      }
      position += BigInt(size);
    }
    results.push({
      name: `live batches of ${size} with checksums`,
      gatebook: (size * 1000) / median(ms.kept),
      reference: (size * 1000) / median(ms.plain),
      referenceName: 'the same without checksums',
      unit: 'events/s',
      aim: { ratio: 0.85 },
    });
  }
  return results;
}

/** One turn of a projector: read, fold, write. @returns ms */
async function timed(
  { pool, store }: Log,
  projectionVersion: ProjectionVersion,
  from: bigint,
  size: number,
): Promise<number> {
  const start = performance.now();
  const events = await store.readAll(from, size);
  await projectBatch(pool, mainGroup, { ...projectionVersion, tables: mainGroup.tables }, from, events);
  return performance.now() - start;
}
