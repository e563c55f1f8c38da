import { runProjector } from '@gatebook/projections/run-projector';
import { createReadModels } from '@gatebook/projections/wait';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import type { Bench } from './bench.ts';
import { benchMetadata, signUpWrites } from './log-of-sign-ups.ts';
import { openBenchLog } from './open-log.ts';
import type { Result } from './report.ts';
import { percentile } from './statistics.ts';

const writes = 2_000;
const writers = 8;
const writesAlone = 500;

/** The time from an acknowledged append until its rows can be read, while eight writers sign users up. */
export async function benchVisible(
  databaseUrl: string,
  { scale, costs }: Pick<Bench, 'scale' | 'costs'>,
): Promise<Result[]> {
  const { store, pool, listener, logger, close } = await openBenchLog(databaseUrl);
  const stop = new AbortController();
  const projecting = runProjector({ store, pool, group: mainGroup, logger }, stop.signal);
  const readModels = await createReadModels({ pool, listener, groups: [mainGroup], logger });
  try {
    await readModels.ready();
    let n = 0;
    const measure = async (count: number, amount: number): Promise<number[]> => {
      const times: number[] = [];
      const last = n + amount * scale;
      const write = async () => {
        while (n < last) {
          n += 1;
          const { position } = await store.append(signUpWrites(n), benchMetadata);
          const start = performance.now();
          if ((await readModels.reached(position)) === 'behind') throw new Error('the read models lag');
          times.push(performance.now() - start);
        }
      };
      await Promise.all(Array.from({ length: count }, write));
      return times;
    };
    const [times, alone] = [await measure(writers, writes), await measure(1, writesAlone)];
    costs.figures.visibleMs = percentile(alone, 0.5);
    return [
      {
        name: `append → readable, ${writers} writers, median`,
        gatebook: percentile(times, 0.5),
        unit: 'ms',
        aim: null,
      },
      {
        name: `append → readable, ${writers} writers, 99th percentile`,
        gatebook: percentile(times, 0.99),
        unit: 'ms',
        aim: { atMost: 15 },
      },
      { name: 'append → readable, one writer, median', gatebook: percentile(alone, 0.5), unit: 'ms', aim: null },
    ];
  } finally {
    await readModels.close();
    stop.abort();
    await projecting;
    await close();
  }
}
