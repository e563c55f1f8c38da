import type { OpenApi } from '../../docs/openapi-document.ts';
import { type DirectedCase, directedCases } from './directed.ts';
import { faultOf, frames, sendFrame } from './frames.ts';
import { type FuzzedOperation, fuzzedOperations } from './operations.ts';
import { type Random, randomOf, seedOf, shuffled } from './random.ts';
import { callerHeaders, type FuzzRequest, pathOf, requestOf } from './requests.ts';
import { type Shapes, sample } from './sample.ts';
import { createSender, type FuzzAnswer } from './send.ts';
import type { World } from './world.ts';

export type FuzzReport = {
  sent: number;
  /** Number of responses per status. */
  statuses: ReadonlyMap<number, number>;
  /** Number of calls of the least called operation. */
  leastPerOperation: number;
  slowestMs: number;
  /** One line each. */
  faults: readonly string[];
};
type Run = {
  url: string;
  document: Pick<OpenApi, 'paths' | 'components'>;
  /** Called repeatedly, because requests delete users, sign out and change settings. */
  makeWorld: (name: string) => Promise<World>;
  /** Whether the server is still running. */
  isAlive: () => boolean;
  requests: number;
  seed: number;
  timeoutMs?: number;
  connections?: number;
  progress?: (sent: number) => void;
};

const requestsPerWorld = 400;
/** Share of all requests; the others are random. */
const directedShare = 0.4;
const maxFaults = 50;

/** Sends malformed requests until the count is reached, the server exits or there are too many faults. */
export async function fuzz(run: Run): Promise<FuzzReport> {
  const { url, document, requests, seed, timeoutMs = 5_000, connections = 16 } = run;
  const operations = fuzzedOperations(document);
  const shapes = document.components.schemas;
  const order = randomOf(seed);
  const directed = shuffled(directedCases(operations, shapes), order).slice(0, Math.floor(requests * directedShare));
  const statuses = new Map<number, number>();
  const calls = new Map<FuzzedOperation, number>(operations.map((operation) => [operation, 0]));
  const faults: string[] = [];
  let [sent, next, slowestMs] = [0, 0, 0];

  for (const frame of frames) {
    const { hostname: host, port } = new URL(url);
    const fault = faultOf(frame, await sendFrame({ host, port: Number(port) }, frame.bytes, timeoutMs));
    sent += 1;
    if (fault !== null) faults.push(`connection: ${fault}`);
  }

  const sender = createSender(url, { timeoutMs, connections });
  const worker = async (number: number) => {
    let world = await run.makeWorld(`world-${seed}-${number}`);
    for (let done = 1; next < requests && faults.length < maxFaults && run.isAlive(); done += 1) {
      const index = next;
      next += 1;
      const random = randomOf(seedOf(seed, index));
      const one = directed[index];
      const operation = one?.operation ?? operations[index % operations.length];
      if (operation === undefined) throw new Error('no operation to call');
      const request = one ? directedRequest(one, world, shapes, random) : requestOf(operation, world, shapes, random);
      const answer = await sender.send(request);
      sent += 1;
      calls.set(operation, (calls.get(operation) ?? 0) + 1);
      if (answer.outcome === 'answered') {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        slowestMs = Math.max(slowestMs, answer.tookMs);
      }
      const fault = faultIn(answer);
      if (fault !== null) faults.push(`request ${index}: ${describe(request)}: ${fault}`);
      if (sent % 1_000 === 0) run.progress?.(sent);
      if (done % requestsPerWorld === 0 && run.isAlive())
        world = await run.makeWorld(`world-${seed}-${number}-${done}`);
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: connections }, (_, number) => worker(number)));
  sender.close();
  for (const one of workers) if (one.status === 'rejected') faults.push(`setup: ${String(one.reason)}`);
  if (!run.isAlive()) faults.push('the server exited');
  return { sent, statuses, leastPerOperation: Math.min(...calls.values()), slowestMs, faults };
}

/** A valid request except for one value, so that the response depends on that value only. */
function directedRequest(
  { operation, field, value }: DirectedCase,
  world: World,
  shapes: Shapes,
  random: Random,
): FuzzRequest {
  const sampled = sample(operation.body ?? {}, '', shapes, world.known, random);
  const fields = typeof sampled === 'object' && sampled !== null ? Object.entries(sampled) : [];
  const others = fields
    .filter(([name]) => name !== field)
    .map(([name, inner]) => `${JSON.stringify(name)}:${JSON.stringify(inner)}`);
  return {
    method: operation.method,
    path: pathOf(operation, world, random),
    headers: { ...callerHeaders(world, random), 'content-type': 'application/json' },
    body: `{${[...others, `${JSON.stringify(field)}:${value}`].join()}}`,
  };
}

function faultIn(answer: FuzzAnswer): string | null {
  if (answer.outcome === 'cut off') return null;
  if (answer.outcome !== 'answered') return `${answer.outcome}: ${answer.reason}`;
  return answer.status >= 500 ? `${answer.status} ${answer.text.slice(0, 200)}` : null;
}

function describe({ method, path, headers, body }: FuzzRequest): string {
  const access = headers['x-stack-access-type'] ?? 'no access type';
  const shown = body === null ? '' : ` ${body.toString().slice(0, 300)}`;
  return `${method} ${path.slice(0, 300)} (${access}, ${headers['content-type'] ?? 'no content type'})${shown}`;
}
