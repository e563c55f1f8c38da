import { runProjector } from '@gatebook/projections/run-projector';
import { createReadModels } from '@gatebook/projections/wait';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { createReadDb, hotSettings, type ReadDb } from '@gatebook/readmodel/read-db';
import { listUsers, type UserListOptions } from '@gatebook/readmodel/users/list';
import { findUser } from '@gatebook/readmodel/users/queries';
import { newId } from '@gatebook/runtime/ids';
import { createPool } from '@gatebook/runtime/postgres';
import { writePopulation } from '../seed/write-population.ts';
import { openBenchLog } from './open-log.ts';
import type { Result } from './report.ts';

const projectId = 'listed';
const [few, many] = [1_000, 100_000];
const limit = 50;
const rounds = 200;
const warmUp = 20;
const worst = 0.95;

type Population = { db: ReadDb; ids: string[]; emails: string[]; close: () => Promise<void> };
type Page = { name: string; options: (population: Population, round: number) => Partial<UserListOptions> };

const at = <T>(list: readonly T[], part: number): T => list[Math.floor((list.length - 1) * part)] as T;
const pages: readonly Page[] = [
  { name: 'the first page', options: () => ({}) },
  { name: 'the newest users', options: () => ({ isDescending: true }) },
  { name: 'a page deep in', options: ({ ids }, round) => ({ cursor: at(ids, 0.4 + round / (rounds * 2)) }) },
  { name: 'a page deep in, newest first', options: ({ ids }) => ({ cursor: at(ids, 0.1), isDescending: true }) },
  { name: 'a full ID', options: ({ ids }, round) => ({ query: at(ids, round / rounds) }) },
  { name: 'a full address', options: ({ emails }, round) => ({ query: at(emails, round / rounds) }) },
  { name: 'a common part of names', options: () => ({ query: 'ann' }) },
  { name: 'a common part, deep in', options: ({ ids }) => ({ query: 'ann', cursor: at(ids, 0.4) }) },
  { name: 'a rare part', options: ({ emails }, round) => ({ query: at(emails, round / rounds).slice(4, 16) }) },
  { name: 'no match', options: () => ({ query: 'qqqqq' }) },
  { name: 'one letter', options: () => ({ query: 'a' }) },
  { name: 'two rare letters', options: () => ({ query: 'xi' }) },
  { name: 'two letters without a match', options: () => ({ query: 'qx' }) },
];

/** Pages of users among 100,000 against the same among 1,000, 95th percentiles, turn by turn in one run. */
export async function benchLists(databaseUrl: (name: string) => Promise<string>): Promise<Result[]> {
  const [small, large] = [
    await populate(await databaseUrl('lists_few'), few),
    await populate(await databaseUrl('lists_many'), many),
  ];
  try {
    const one = ({ db, ids }: Population, round: number) => findUser(db, projectId, at(ids, round / rounds));
    const [, bare] = await timed([small, large], one);
    process.stderr.write(`  for comparison: one user by ID among ${many}, ${bare.toFixed(2)} ms\n`);
    const results: Result[] = [];
    for (const { name, options } of pages) {
      const page = (population: Population, round: number) =>
        listUsers(population.db, projectId, { ...first, ...options(population, round) });
      const [reference, gatebook] = await timed([small, large], page);
      const common = { unit: 'ms', referenceName: `${few.toLocaleString('en')} users`, aim: { atMost: 3 } };
      results.push({ name: `users: ${name}, p95 of ${many.toLocaleString('en')}`, gatebook, reference, ...common });
    }
    return results;
  } finally {
    await small.close();
    await large.close();
  }
}

const first: UserListOptions = { teamId: null, cursor: null, limit, isDescending: false, query: null };

async function populate(databaseUrl: string, users: number): Promise<Population> {
  const { store, pool, apiUrl, listener, logger, close } = await openBenchLog(databaseUrl);
  let made = 0;
  const setting = {
    projectId,
    until: '2026-01-15T12:00:00.000Z',
    days: 90,
    users,
    passwordHash: 'x',
    newId,
    lookupHash: () => String(made++),
  };
  await writePopulation(store, setting, { teams: users / 20, seed: 1, onProgress: () => {} });
  const stop = new AbortController();
  const projecting = runProjector({ store, pool, group: mainGroup, logger }, stop.signal);
  const readModels = await createReadModels({ pool, listener, groups: [mainGroup], logger });
  await readModels.ready();
  await readModels.reached(await store.head(), 300_000);
  stop.abort();
  await projecting;
  const apiPool = createPool(apiUrl, { max: 2, name: 'bench API' });
  const hotPool = createPool(apiUrl, { max: 2, name: 'bench hot', settings: hotSettings });
  const schema = readModels.schema('main');
  const { rows } = await pool.query<{ id: string; value: string }>(
    `select u.id, c.value from ${schema}.users u join ${schema}.contact_channels c on c.user_id = u.id
     order by u.signed_up_at, u.id`,
  );
  return {
    db: createReadDb(apiPool, readModels, hotPool),
    ids: rows.map(({ id }) => id),
    emails: rows.map(({ value }) => value),
    close: async () => {
      await readModels.close();
      await Promise.all([apiPool.end(), hotPool.end()]);
      await close();
    },
  };
}

/** Milliseconds below which 95 of 100 calls stay, for each of two that take turns. */
async function timed(
  [one, other]: readonly [Population, Population],
  call: (population: Population, round: number) => Promise<unknown>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [index, population] of [one, other].entries()) {
      const start = performance.now();
      await call(population, Math.max(round, 0));
      if (round >= 0) times[index]?.push(performance.now() - start);
    }
  }
  const [ofOne, ofOther] = times.map((list) =>
    at(
      list.toSorted((a, b) => a - b),
      worst,
    ),
  );
  return [ofOne ?? Number.NaN, ofOther ?? Number.NaN];
}
