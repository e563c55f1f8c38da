import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';
import type { Bench } from './bench.ts';
import { callAtRate, callInTurn } from './load.ts';
import type { Result } from './report.ts';
import { callsOf } from './requests.ts';
import { routes } from './routes.ts';
import { percentile, summarize } from './statistics.ts';
import type { Player, World } from './world.ts';

const readsPerSecond = 200;
const signingIn = 16;
/** All cores but one: requests, Postgres and the load need at least that, and go first. */
const width = Math.max(1, availableParallelism() - 1);
const parameters = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** Reads at a fixed rate beside endless sign-ins, on both servers in turn. */
export async function benchBeside({ world: start, pace, costs }: Bench): Promise<Result[]> {
  const world = await start();
  const { rounds, sliceMs } = pace;
  const ms = sliceMs * 3;
  const [reads, signIns]: { gatebook: number; reference: number }[][] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const ours = await runBoth(world.gatebook, world, ms);
    const theirs = await runBoth(world.bare, world, ms);
    reads?.push({ gatebook: ours.p99, reference: theirs.p99 });
    signIns?.push({ gatebook: ours.signIns, reference: await hashesPerSecond(sliceMs) });
  }
  const perSecond = summarize(signIns ?? []);
  costs.figures.hashMs = (1000 * width) / perSecond.reference;
  return [
    {
      name: `\`GET /users/me\`, ${readsPerSecond}/s beside endless sign-ins, 99th percentile`,
      ...summarize(reads ?? []),
      referenceName: 'bare server',
      unit: 'ms',
      aim: { atMostRatio: 0.5 },
    },
    {
      name: `sign-ins beside these reads`,
      ...perSecond,
      referenceName: `argon2id alone, ${width} at a time`,
      unit: '/s',
      aim: { ratio: 0.9 },
    },
  ];
}

async function runBoth(player: Player, world: World, ms: number): Promise<{ p99: number; signIns: number }> {
  const [reads, signIns] = await Promise.all([
    callAtRate(callsOf(player, routes['users/me'], world), readsPerSecond, ms),
    callInTurn(callsOf(player, routes['sign-in'], world), signingIn, ms),
  ]);
  return { p99: percentile(reads.times, 0.99), signIns: (signIns.answers * 1000) / signIns.ms };
}

async function hashesPerSecond(ms: number): Promise<number> {
  const start = performance.now();
  let hashes = 0;
  const hashInTurn = async () => {
    while (performance.now() < start + ms) {
      await hash('a password for the bench', parameters);
      hashes += 1;
    }
  };
  await Promise.all(Array.from({ length: width }, hashInTurn));
  return (hashes * 1000) / (performance.now() - start);
}
