import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { startProduct } from '../testing/product.ts';
import type { Pace } from './compare.ts';
import { cpuMs, residentMegabytes } from './cpu.ts';
import { callInTurn } from './load.ts';
import type { Result } from './report.ts';
import { callsOf } from './requests.ts';
import { routes } from './routes.ts';
import type { World } from './world.ts';

/** What comes after a start is over then: compilation of hot code, first checks, loading what emails need. */
const calmMs = 40_000;
const watchedMs = 20_000;
const samplingMs = 100;
const callers = 32;

/** CPU and memory of `npm start` on existing data, with nothing to do. CPU includes the embedded Postgres. */
export async function benchIdle(scale: number): Promise<Result[]> {
  const folder = await makePassableFolder('gatebook-bench-idle-');
  const env = { GATEBOOK_DATA_DIR: join(folder, 'data'), GATEBOOK_LOG_LEVEL: 'warn' };
  try {
    await (await startProduct(env)).stop();
    const { child, stop } = await startProduct(env);
    try {
      const pid = child.pid ?? 0;
      await pause(calmMs * scale);
      const [start, before] = [performance.now(), await cpuMs(pid)];
      await pause(watchedMs * Math.max(scale, 0.1));
      const share = ((await cpuMs(pid)) - before) / (performance.now() - start);
      return [
        {
          name: 'idle, CPU with the embedded Postgres',
          gatebook: share * 100,
          unit: '% of a core',
          aim: { atMost: 0.5 },
        },
        {
          name: 'idle, memory of the process',
          gatebook: await residentMegabytes(pid),
          unit: 'MB',
          aim: { atMost: 150 },
        },
      ];
    } finally {
      await stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The most memory that the process has while it answers reads. */
export async function benchLoadedMemory(world: World, { sliceMs }: Pace): Promise<Result[]> {
  let most = 0;
  const sampling = setInterval(async () => {
    most = Math.max(most, await residentMegabytes(world.gatebook.pid).catch(() => 0));
  }, samplingMs);
  try {
    for (const name of ['users/me', 'refresh', 'key-check', 'list-middle', 'search-common'] as const) {
      await callInTurn(callsOf(world.gatebook, routes[name], world), callers, sliceMs * 2);
    }
  } finally {
    clearInterval(sampling);
  }
  const users = world.people.ids.length.toLocaleString('en-US');
  return [
    { name: `memory under load, ${users} users`, gatebook: most || Number.NaN, unit: 'MB', aim: { atMost: 250 } },
  ];
}

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));
