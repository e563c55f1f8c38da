import { deepStrictEqual } from 'node:assert';
import type { Bench } from './bench.ts';
import { type Comparison, compare, type Pace, type Side } from './compare.ts';
import { callInTurn, sendOnce } from './load.ts';
import type { Result } from './report.ts';
import { type Route, type RouteName, routes } from './routes.ts';
import type { Player, World } from './world.ts';

/** A call that changes something has a number that no other one has, in the whole run. */
let used = 0;

/** Calls of a route, each with the next number. */
export function callsOf(player: Player, route: Route, { people }: Pick<World, 'people'>) {
  const callOf = route.calls(player, people);
  const nextCall = () => {
    used += 1;
    return callOf(used);
  };
  return { origin: player.origin, nextCall };
}

export const sideOf = (player: Player, route: Route, world: World): Side => ({
  ...player,
  load: (callers, ms) => callInTurn(callsOf(player, route, world), callers, ms),
});

/** One route against the bare server. @throws Error when the two servers answer differently */
export async function compareRoute(world: World, name: RouteName, callers: number, pace: Pace): Promise<Comparison> {
  const route: Route = routes[name];
  const [emails, first] = [await world.countEmails(), used];
  await checkAnswers(world, route);
  const comparison = await compare(
    sideOf(world.gatebook, route, world),
    sideOf(world.bare, route, world),
    callers,
    pace,
  );
  if (route.sendsEmail) await untilArrived(world, emails + used - first);
  return comparison;
}

async function untilArrived(world: World, wanted: number): Promise<void> {
  const start = performance.now();
  for (;;) {
    const arrived = await world.countEmails();
    if (arrived >= wanted) return;
    if (performance.now() - start > deliveryMs) throw new Error(`${wanted - arrived} emails are missing`);
    await new Promise((resume) => setTimeout(resume, 100));
  }
}

const callerCounts = [32, 1];

/** One route with many callers and with one. */
export async function benchRoute({ world: start, pace, costs }: Bench, name: RouteName): Promise<Result[]> {
  const world = await start();
  const results: Result[] = [];
  for (const callers of callerCounts) {
    const comparison = await compareRoute(world, name, callers, pace);
    results.push(toResult(name, callers, comparison));
    if (callers > 1) {
      const { cpu, processCpu } = comparison;
      costs.requests[name] = { processMs: processCpu, postgresMs: cpu.gatebook - processCpu };
    }
    const { perSecond } = routes[name] as Route;
    if (perSecond !== undefined && callers > 1) {
      const figure = { gatebook: comparison.rate.gatebook, unit: '/s', aim: { atLeast: perSecond } };
      results.push({ name: `${routes[name].name}, ${callers} callers, rate alone`, ...figure });
    }
  }
  return results;
}

function toResult(name: RouteName, callers: number, { rate, cpu }: Comparison): Result {
  const route: Route = routes[name];
  // With one caller, the rate says how long an answer takes, and the CPU mostly what it costs to wake processes up.
  return {
    name: `${route.name}, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
    ...rate,
    referenceName: 'bare server',
    unit: '/s',
    cpu,
    aim: callers === 1 || route.aim === null ? null : { ratio: route.aim },
  };
}

const deliveryMs = 60_000;
const sampled = 3;

/** A comparison is only fair between equal answers. */
async function checkAnswers({ gatebook, bare, people }: World, route: Route): Promise<void> {
  for (let n = 1; n <= sampled; n += 1) {
    const number = () => {
      used += 1;
      return route.isSame ? n : used;
    };
    const [ours, theirs] = [
      await sendOnce(gatebook.origin, route.calls(gatebook, people)(number())),
      await sendOnce(bare.origin, route.calls(bare, people)(number())),
    ];
    const [one, other] = [JSON.parse(ours.body) as object, JSON.parse(theirs.body) as object];
    if (route.isSame) deepStrictEqual(withoutActivity(other), withoutActivity(one), `${route.name}: answers differ`);
    else deepStrictEqual(Object.keys(other).sort(), Object.keys(one).sort(), `${route.name}: answers differ`);
  }
}

/** Gatebook counts what it is asked as activity of the user; the bare server does not. */
const withoutActivity = (answer: object): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === 'last_active_at_millis' ? 0 : value)));
