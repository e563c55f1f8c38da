import type { Bench } from './bench.ts';
import { compare, type Pace } from './compare.ts';
import { sendOnce } from './load.ts';
import { type Aim, judge, type Result, toRow } from './report.ts';
import { compareRoute, sideOf } from './requests.ts';
import { type Route, type RouteName, routes } from './routes.ts';
import { createWorld, type Player, type World } from './world.ts';

const callers = 32;
const seedAim = 20_000;

const reads = ['users/me', 'refresh', 'key-check', 'list-first', 'list-middle', 'sign-in'] as const;
const searches = ['search-rare', 'search-common', 'search-exact'] as const;
const names: readonly RouteName[] = [...reads, ...searches];
const isSearch = (name: RouteName) => searches.some((search) => search === name);

/** Searches have an aim from 100,000 users on: with few users, the bare server reads them all in no time. */
function aimOf(name: RouteName, users: number): Aim {
  const { aim }: Route = routes[name];
  if (aim === null || !isSearch(name)) return aim === null ? null : { ratio: aim };
  if (users < 100_000) return null;
  return { ratio: users < 1_000_000 ? aim : 5 };
}

/**
 * The same calls with more and more users: against the bare server with as many, and against Gatebook with the fewest,
 * which keeps running and takes turns.
 */
export async function benchGrowth({ sizes, pace, freshDatabase }: Bench): Promise<Result[]> {
  const results = new Map<string, Result[]>();
  const add = (name: string, result: Result) => {
    results.set(name, [...(results.get(name) ?? []), result]);
    // The whole table takes an hour.
    process.stderr.write(`  ${judge(result)}: ${toRow(result)}\n`);
  };
  const worlds: World[] = [];
  try {
    for (const users of sizes) {
      process.stderr.write(`  ${users.toLocaleString('en-US')} users …\n`);
      const world = await createWorld({ users, freshDatabase });
      const [smallest] = worlds;
      worlds.push(world);
      if (smallest) await renewTokens(smallest);
      for (const name of names) {
        add(name, await againstBare(world, name, pace));
        if (smallest)
          add(name, await againstSmallest(world, smallest, name, { pace, isLargest: users === sizes.at(-1) }));
      }
      add('seed', {
        name: `seed of ${textOf(users)}`,
        gatebook: world.seedRate,
        unit: 'events/s',
        aim: seedAimOf(users),
      });
      if (smallest) await worlds.pop()?.stop();
    }
  } finally {
    for (const world of worlds) await world.stop();
  }
  return [...names, 'seed'].flatMap((name) => results.get(name) ?? []);
}

/** Larger sizes take longer than an access token lives. */
async function renewTokens({ gatebook }: World): Promise<void> {
  for (const session of gatebook.sessions) await renewToken(gatebook, session);
}

async function renewToken(player: Player, session: Player['sessions'][number]): Promise<void> {
  const call = routes.refresh.calls({ ...player, sessions: [session] })(0);
  const { access_token } = JSON.parse((await sendOnce(player.origin, call)).body) as { access_token: string };
  session.accessToken = access_token;
}

const textOf = (users: number) => `${users.toLocaleString('en-US')} users`;
/** Fewer are written before the code is compiled. */
const seedAimOf = (users: number): Aim => (users < 100_000 ? null : { atLeast: seedAim });

async function againstBare(world: World, name: RouteName, pace: Pace): Promise<Result> {
  const { rate, cpu } = await compareRoute(world, name, callers, pace);
  const users = world.people.ids.length;
  return {
    name: `${routes[name].name}, ${textOf(users)}`,
    ...rate,
    referenceName: 'bare server',
    unit: '/s',
    cpu,
    aim: aimOf(name, users),
  };
}

async function againstSmallest(
  world: World,
  smallest: World,
  name: RouteName,
  { pace, isLargest }: { pace: Pace; isLargest: boolean },
): Promise<Result> {
  const route: Route = routes[name];
  const [large, small] = [sideOf(world.gatebook, route, world), sideOf(smallest.gatebook, route, smallest)];
  const { rate, cpu } = await compare(large, small, callers, pace);
  return {
    name: `${route.name}, ${textOf(world.people.ids.length)}`,
    ...rate,
    referenceName: `Gatebook with ${textOf(smallest.people.ids.length)}`,
    unit: '/s',
    cpu,
    aim: isLargest ? { rateRatio: isSearch(name) ? 0.7 : 0.9 } : null,
  };
}
