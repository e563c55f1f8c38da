import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { compareWithLive } from '@gatebook/projections/operations/compare';
import { askForRebuild, discard, findProjectionVersion } from '@gatebook/projections/operations/rebuilds';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { fillLog } from './log-of-sign-ups.ts';
import { openBenchLog } from './open-log.ts';
import { type BenchProduct, startBenchProduct } from './product.ts';
import type { Result } from './report.ts';
import { median, percentile } from './statistics.ts';

const events = 60_000;
const rounds = 3;
const idleSeconds = 20;
/** Requests arrive at this rate whether or not the ones before are answered, as they do from people. */
const perSecond = 100;
const people = 40;

type Log = Awaited<ReturnType<typeof openBenchLog>>;

/**
 * The 99th percentile of the API's answers while all read models are rebuilt, against the same load without a rebuild.
 */
export async function benchRebuildUnderTraffic(databaseUrl: string): Promise<Result[]> {
  const masterKey = randomBytes(32);
  const log = await openBenchLog(databaseUrl, masterKey);
  try {
    await fillLog(log.store, events);
    const product = await startBenchProduct(databaseUrl, { GATEBOOK_MASTER_KEY: masterKey.toString('base64') });
    try {
      return await measure(log, product);
    } finally {
      await product.stop();
    }
  } finally {
    await log.close();
  }
}

async function measure(log: Log, product: BenchProduct): Promise<Result[]> {
  const tokens: string[] = [];
  for (let n = 0; n < people; n += 1) tokens.push((await product.signUp(`person${n}@bench.example`)).accessToken);
  const calls = callsOf(product, tokens);
  // Warm, so that the first round is like the others.
  await underLoad(calls, () => pauseSeconds(idleSeconds / 4));
  const [idle, busy, rates]: number[][] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    idle?.push(percentile(await underLoad(calls, () => pauseSeconds(idleSeconds)), 0.99));
    let rate = Number.NaN;
    const during = await underLoad(calls, async () => {
      rate = await rebuild(log);
    });
    busy?.push(percentile(during, 0.99));
    rates?.push(rate);
    await discardStandby(log);
  }
  return [
    {
      name: `99th percentile at ${perSecond} requests/s during a rebuild`,
      gatebook: median(busy ?? []),
      reference: median(idle ?? []),
      referenceName: 'the same without a rebuild',
      unit: 'ms',
      aim: { atMostRatio: 2 },
    },
    {
      name: `rebuild of ${events.toLocaleString('en-US')} events under that traffic`,
      gatebook: median(rates ?? []),
      unit: 'events/s',
      aim: { atLeast: 2_000 },
    },
  ];
}

/** Until the new projection version is ready, as `projections rebuild` waits. @returns events per second */
async function rebuild({ pool, store }: Log): Promise<number> {
  const start = performance.now();
  const { projectionVersion } = await askForRebuild(pool, mainGroup);
  while (!(await findProjectionVersion(pool, projectionVersion.schema)).isReady) await pauseSeconds(0.1);
  const seconds = (performance.now() - start) / 1000;
  return Number(await store.head()) / seconds;
}

async function discardStandby({ pool, store }: Log): Promise<void> {
  const { projectionVersion } = await askForRebuild(pool, mainGroup);
  const { isEqual, tables } = await compareWithLive({ pool, store, group: mainGroup }, projectionVersion.id);
  if (!isEqual)
    throw new Error(
      `the rebuilt read models differ from the live ones: ${JSON.stringify(tables.filter(({ first }) => first.length > 0))}`,
    );
  await discard(pool, projectionVersion);
}

type Call = { method: string; path: string; headers: Record<string, string>; body?: string };
type Calls = { url: URL; call(n: number): Call };

/** Of ten: seven look at themselves, two list their teams, one renames itself and waits until that can be read. */
function callsOf({ url, clientHeaders }: BenchProduct, tokens: readonly string[]): Calls {
  return {
    url: new URL(url),
    call: (n) => {
      const headers = {
        ...clientHeaders,
        'x-stack-access-token': tokens[(n % 10 === 0 ? n / 10 : n) % tokens.length] ?? '',
      };
      if (n % 10 === 0) {
        const body = JSON.stringify({ display_name: `Person ${n}` });
        const described = { 'content-type': 'application/json', 'content-length': String(body.length) };
        return { method: 'PATCH', path: '/api/v1/users/me', headers: { ...headers, ...described }, body };
      }
      return { method: 'GET', path: n % 5 === 1 ? '/api/v1/teams?user_id=me' : '/api/v1/users/me', headers };
    },
  };
}

/**
 * Sends requests for as long as `work` takes. @returns how long each took, in ms @throws Error when one is not answered
 * with 200
 */
async function underLoad({ url, call }: Calls, work: () => Promise<unknown>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const times: number[] = [];
  const answers: Promise<void>[] = [];
  const faults: unknown[] = [];
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  const start = performance.now();
  for (let n = 0; !isOver; n += 1) {
    const due = start + (n * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await new Promise((resume) => setTimeout(resume, early));
    answers.push(
      send(agent, url, call(n)).then(
        () => {
          times.push(performance.now() - due);
        },
        (error: unknown) => {
          faults.push(error);
        },
      ),
    );
  }
  await working;
  await Promise.all(answers);
  agent.destroy();
  if (faults.length > 0) throw new Error(`${faults.length} requests failed`, { cause: faults[0] });
  return times;
}

function send(agent: Agent, { hostname, port }: URL, { method, path, headers, body }: Call): Promise<void> {
  return new Promise((done, fail) => {
    const sent = request({ agent, hostname, port, method, path, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => {
        if (answer.statusCode === 200) done();
        else fail(new Error(`${method} ${path} answered ${answer.statusCode}`));
      });
    });
    sent.once('error', fail);
    sent.end(body);
  });
}

const pauseSeconds = (seconds: number) => new Promise((resume) => setTimeout(resume, seconds * 1000));
