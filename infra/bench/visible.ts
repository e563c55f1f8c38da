import { runProjector } from '@gatebook/projections/run-projector';
import { createReadModels } from '@gatebook/projections/wait';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { benchMetadata, signUpWrites } from './log-of-sign-ups.ts';
import { openBenchLog } from './open-log.ts';
import type { Result } from './report.ts';

const writes = 2_000;
const writers = 8;

/** The time from an acknowledged append until its rows can be read, while eight writers sign users up. */
export async function benchVisible(databaseUrl: string): Promise<Result[]> {
  const { store, pool, listener, logger, close } = await openBenchLog(databaseUrl);
  const stop = new AbortController();
  const projecting = runProjector({ store, pool, group: mainGroup, logger }, stop.signal);
  const readModels = await createReadModels({ pool, listener, groups: [mainGroup], logger });
  try {
    await readModels.ready();
    const times: number[] = [];
    let n = 0;
    const write = async () => {
      while (n < writes) {
        n += 1;
        const { position } = await store.append(signUpWrites(n), benchMetadata);
        const start = performance.now();
        if ((await readModels.reached(position)) === 'behind') throw new Error('the read models lag');
        times.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    times.sort((a, b) => a - b);
    const at = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN;
    const common = { referenceName: 'the target', unit: 'ms' };
    return [
      { name: 'append → readable, median', gatebook: at(0.5), reference: 50, ...common, aim: { below: 50 } },
      { name: 'append → readable, 99th percentile', gatebook: at(0.99), reference: 50, ...common, aim: { below: 50 } },
    ];
  } finally {
    await readModels.close();
    stop.abort();
    await projecting;
    await close();
  }
}
