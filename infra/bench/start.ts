import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@gatebook/runtime/free-port';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { main, nodeOptions } from '../testing/product.ts';
import { ownCpuMs } from './cpu.ts';
import type { Result } from './report.ts';
import { median } from './statistics.ts';

const rounds = 5;
const pollMs = 5;
/** `cpu`: seconds, without Postgres. */
type Start = { seconds: number; cpu: number };

type Kind = { name: string; env: Readonly<Record<string, string>>; seconds: number };

/** A start on existing data until `/health` answers, with the embedded Postgres and with another one. */
export async function benchStart(databaseUrl: string, scale: number): Promise<Result[]> {
  const folder = await makePassableFolder('gatebook-bench-start-');
  const kinds: Kind[] = [
    { name: 'start with the embedded Postgres', env: {}, seconds: 1.5 },
    { name: 'start with a running Postgres', env: { GATEBOOK_DATABASE_URL: databaseUrl }, seconds: 1 },
  ];
  try {
    const results: Result[] = [];
    for (const [nth, kind] of kinds.entries()) {
      const env = {
        ...kind.env,
        GATEBOOK_DATA_DIR: join(folder, `data-${nth}`),
        NODE_COMPILE_CACHE: join(folder, 'cache'),
      };
      await measureStart(env);
      const starts: Start[] = [];
      for (let round = 0; round < Math.max(1, rounds * scale); round += 1) starts.push(await measureStart(env));
      const of = (part: keyof Start) => median(starts.map((one) => one[part]));
      results.push(
        { name: kind.name, gatebook: of('seconds'), unit: 's', aim: { atMost: kind.seconds } },
        { name: `${kind.name}, CPU`, gatebook: of('cpu'), unit: 's', aim: { atMost: 1 } },
      );
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureStart(env: Readonly<Record<string, string>>): Promise<Start> {
  const port = await findFreePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, main], {
    env: {
      PATH: process.env.PATH,
      GATEBOOK_PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    while (!(await isHealthy(port))) {
      if (child.exitCode !== null) throw new Error(`Gatebook ended with ${child.exitCode}`);
      await new Promise((resume) => setTimeout(resume, pollMs));
    }
    return { seconds: (performance.now() - begun) / 1_000, cpu: (await ownCpuMs(child.pid ?? 0)) / 1_000 };
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
