import { cpuMs, tickMs } from './cpu.ts';
import type { Load } from './load.ts';
import { type Pair, summarize } from './statistics.ts';

/** Processes that work for a load: a server and its Postgres, or this process alone, which has Postgres as a child. */
export type Processes = { pid: number; postmaster: number | null };
/** `load`: `callers` ask again as soon as they are answered, for `ms`. */
export type Side = Processes & { load(callers: number, ms: number): Promise<Load> };
export type Pace = { rounds: number; sliceMs: number };
/** Answers per second, and CPU of server and Postgres together in ms per answer. */
export type Comparison = {
  rate: Pair & { ratio: number };
  /** The ratio is how much less Gatebook needs. */
  cpu: Pair & { ratio: number };
  /** The part of `cpu.gatebook` that is not Postgres. */
  processCpu: number;
};
type Slice = { rate: number; cpu: number; processCpu: number };

/** Until V8 has compiled what runs often, an answer takes up to twice the CPU: about three seconds. */
const warmSlices = 3;
const settleStepMs = 60;
/** Processes that use less of a core are idle. */
const idleShare = 0.2;
const longestSettlingMs = 5_000;

/**
 * Loads both servers in turn in short slices, so that noise of the machine hits both. A slice lasts until the work
 * that it left behind is done: projections, emails.
 */
export async function compare(gatebook: Side, reference: Side, callers: number, pace: Pace): Promise<Comparison> {
  for (const side of [gatebook, reference]) await runSlice(side, callers, pace.sliceMs * warmSlices);
  const rounds: { gatebook: Slice; reference: Slice }[] = [];
  for (let round = 0; round < pace.rounds; round += 1) {
    const run = (side: Side) => runSlice(side, callers, pace.sliceMs);
    if (round % 2 === 0) rounds.push({ gatebook: await run(gatebook), reference: await run(reference) });
    else {
      const second = await run(reference);
      rounds.push({ gatebook: await run(gatebook), reference: second });
    }
  }
  const pairs = (of: keyof Slice) =>
    rounds.map((round) => ({ gatebook: round.gatebook[of], reference: round.reference[of] }));
  const cpu = summarize(pairs('cpu'));
  const saved = summarize(
    pairs('cpu').map(({ gatebook, reference }) => ({ gatebook: reference, reference: gatebook })),
  );
  return {
    rate: summarize(pairs('rate')),
    cpu: { ...cpu, ratio: saved.ratio },
    processCpu: summarize(pairs('processCpu')).gatebook,
  };
}

async function runSlice(side: Side, callers: number, ms: number): Promise<Slice> {
  await settle(side);
  const before = await usageOf(side);
  const load = await side.load(callers, ms);
  const { busyMs, usage } = await settle(side);
  return {
    rate: (load.answers * 1000) / (load.ms + busyMs),
    cpu: Math.max(usage.all - before.all, tickMs) / load.answers,
    processCpu: (usage.process - before.process) / load.answers,
  };
}

type Usage = { process: number; all: number };

async function usageOf({ pid, postmaster }: Processes): Promise<Usage> {
  const [process, postgres] = [await cpuMs(pid), postmaster === null ? 0 : await cpuMs(postmaster)];
  return { process, all: process + postgres };
}

/** Waits until server and database are idle. @returns how long they were busy, and their CPU time then, in ms */
export async function settle(server: Processes): Promise<{ busyMs: number; usage: Usage }> {
  const start = performance.now();
  let [stepStart, usage] = [start, await usageOf(server)];
  while (stepStart - start < longestSettlingMs) {
    await new Promise((resume) => setTimeout(resume, settleStepMs));
    const [now, later] = [performance.now(), await usageOf(server)];
    const share = (later.all - usage.all) / (now - stepStart);
    if (share < idleShare) return { busyMs: stepStart - start, usage: later };
    [stepStart, usage] = [now, later];
  }
  return { busyMs: stepStart - start, usage };
}
