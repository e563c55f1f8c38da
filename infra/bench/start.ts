import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@gatebook/runtime/free-port';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { median } from './load.ts';
import type { Result } from './report.ts';

const main = fileURLToPath(new URL('../../services/gatebook/src/main.ts', import.meta.url));
const rounds = 5;
const pollMs = 5;
/** As Linux reports times of processes, in hundredths of a second (proc_pid_stat(5)). */
const tickSeconds = 0.01;

type Start = { seconds: number; cpu: number; megabytes: number };

const figures: readonly { name: string; part: keyof Start; unit: string; below: number }[] = [
  { name: 'start, until it answers', part: 'seconds', unit: 's', below: 1.5 },
  { name: 'start, CPU time', part: 'cpu', unit: 's', below: 1 },
  { name: 'start, memory when it answers', part: 'megabytes', unit: 'MB', below: 250 },
];

/** A start with the embedded Postgres on existing data, until `/health` answers, with compiled modules and without. */
export async function benchStart(): Promise<Result[]> {
  const folder = await makePassableFolder('gatebook-bench-start-');
  const start = (cache: string) => measureStart(join(folder, 'data'), join(folder, cache));
  const measure = async (cacheOf: (round: number) => string) => {
    const starts: Start[] = [];
    for (let round = 0; round < rounds; round += 1) starts.push(await start(cacheOf(round)));
    return (part: keyof Start) => median(starts.map((one) => one[part]));
  };
  try {
    await start('warm');
    const [cold, warm] = [await measure((round) => `cold-${round}`), await measure(() => 'warm')];
    return figures.map(({ part, below, ...figure }) => ({
      ...figure,
      gatebook: warm(part),
      reference: cold(part),
      referenceName: 'a start without compiled modules',
      aim: { below },
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureStart(dataDir: string, cache: string): Promise<Start> {
  const port = await findFreePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      GATEBOOK_DATA_DIR: dataDir,
      GATEBOOK_PORT: String(port),
      NODE_COMPILE_CACHE: cache,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    while (!(await isHealthy(port))) {
      if (child.exitCode !== null) throw new Error(`Gatebook ended with ${child.exitCode}`);
      await new Promise((resume) => setTimeout(resume, pollMs));
    }
    return { seconds: (performance.now() - begun) / 1_000, ...(await usageOf(child)) };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

const isHealthy = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

/** CPU seconds and resident memory, of Linux alone. Postgres is not included. */
async function usageOf({ pid }: ChildProcess): Promise<Omit<Start, 'seconds'>> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8');
  const [, fields = ''] = (await read('stat')).split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  const kilobytes = /VmRSS:\s+(\d+)/.exec(await read('status'))?.[1];
  return { cpu: ((user ?? 0) + (system ?? 0)) * tickSeconds, megabytes: Number(kilobytes) / 1_024 };
}
