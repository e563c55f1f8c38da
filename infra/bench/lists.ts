import type { Bench } from './bench.ts';
import { createListsWorld, type ListsWorld } from './lists-world.ts';
import { openConnection, toMessage } from './load.ts';
import type { Result } from './report.ts';
import { percentile } from './statistics.ts';

const rounds = 20;
const mostMs = 200;
const mostUsers = 1_000_000;
const orders = ['signed_up_at', 'last_active_at', 'display_name', 'primary_email'] as const;
type Order = (typeof orders)[number];
type Query = Readonly<Record<string, string>>;

/** The first page of users and one in the middle, for each filter, in each order and direction. */
export async function benchLists({ freshDatabase, scale }: Bench): Promise<Result[]> {
  const users = Math.max(2_000, Math.round(mostUsers * scale));
  const world = await createListsWorld(await freshDatabase('lists'), users);
  try {
    const results: Result[] = [];
    const filters = filtersOf(world);
    for (const order of orders) {
      for (const desc of ['false', 'true']) {
        const pages = Object.entries(filters).flatMap(([name, filter]): [string, Query][] => {
          const query = { ...filter, order_by: order, desc, limit: '50' };
          return [
            [`${name}, first page`, query],
            [`${name}, page in the middle`, { ...query, cursor: middleOf(world, order) }],
          ];
        });
        const name = `users by ${order}${desc === 'true' ? ', descending' : ''}`;
        results.push(await slowestOf(world, `${name}, ${users.toLocaleString('en-US')} users`, '', pages));
      }
    }
    return [...results, await slowestOf(world, 'counts of users', '/count', Object.entries(filters))];
  } finally {
    await world.stop();
  }
}

const dayMs = 86_400_000;

/** Many, few and no users match. */
function filtersOf({ userIds, signedUpFrom, smallTeamId, largeTeamId }: ListsWorld): Readonly<Record<string, Query>> {
  const span = { signed_up_from_millis: signedUpFrom + 30 * dayMs, signed_up_until_millis: signedUpFrom + 31 * dayMs };
  const texts = Object.fromEntries(Object.entries(span).map(([name, at]) => [name, String(at)]));
  const [today] = new Date().toISOString().split('T');
  const rare = `.${Math.floor(userIds.length / 3)}@`;
  return {
    'all users': {},
    'not verified': { verified: 'false' },
    'not anonymous': { anonymous: 'false' },
    verified: { verified: 'true', anonymous: 'false' },
    anonymous: { anonymous: 'true' },
    restricted: { restricted: 'true' },
    'with Google': { method: 'google' },
    'without a match': { method: 'github' },
    'from Sweden': { country_code: 'SE' },
    'signed up on a day': texts,
    'active lately': { active_from_millis: String(Date.now() - dayMs) },
    'not active for long': { active_until_millis: String(signedUpFrom + dayMs) },
    'active today': { active_on: today ?? '' },
    'active in Sweden': { active_in: 'SE' },
    'in a small team': { team_id: smallTeamId },
    'in a large team': { team_id: largeTeamId },
    'restricted in a large team': { team_id: largeTeamId, restricted: 'true' },
    'rare text': { query: rare },
    'rare text in a large team': { query: rare, team_id: largeTeamId },
    'common text': { query: 'ann' },
    'text of everybody': { query: 'mail.example' },
    'short text': { query: 'zq' },
    'common text and restricted': { query: 'ann', restricted: 'true' },
    'rare text and verified': { query: rare, verified: 'true' },
  };
}

function middleOf({ userIds, signedUpFrom }: ListsWorld, order: Order): string {
  const id = userIds[Math.floor(userIds.length / 2)] ?? '';
  if (order === 'signed_up_at') return id;
  return order === 'last_active_at'
    ? `${signedUpFrom + 75 * dayMs}.${id}`
    : `${Buffer.from('liam').toString('hex')}.${id}`;
}

type Pages = readonly (readonly [string, Query])[];

async function slowestOf(world: ListsWorld, name: string, path: '' | '/count', pages: Pages): Promise<Result> {
  let slowest = { page: '', ms: 0 };
  for (const [page, query] of pages) {
    const ms = percentile(await timesOf(world, `/internal/users${path}?${new URLSearchParams(query)}`), 0.95);
    if (ms > mostMs / 4) process.stderr.write(`  ${name}, ${page}: ${Math.round(ms)} ms\n`);
    if (ms > slowest.ms) slowest = { page, ms };
  }
  return {
    name: `${name}, slowest of ${pages.length} (${slowest.page}), 95th percentile`,
    gatebook: slowest.ms,
    unit: 'ms',
    aim: { atMost: mostMs },
  };
}

/** @returns how long each request took, in ms */
async function timesOf({ origin, projectId, keys }: ListsWorld, path: string): Promise<number[]> {
  const headers = {
    'x-stack-access-type': 'admin',
    'x-stack-project-id': projectId,
    'x-stack-super-secret-admin-key': keys.admin,
  };
  const message = toMessage(origin, { method: 'GET', path, headers });
  const connection = await openConnection(origin);
  const times: number[] = [];
  try {
    for (let round = -2; round < rounds; round += 1) {
      const start = performance.now();
      const { status, body } = await connection.send(message);
      if (round >= 0) times.push(performance.now() - start);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
    }
  } finally {
    connection.close();
  }
  return times;
}
