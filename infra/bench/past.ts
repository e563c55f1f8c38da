import { createPastDb } from '@gatebook/readmodel/past/past-db';
import { pastGroup } from '@gatebook/readmodel/projection-groups';
import { createReadDb, hotSettings, type ReadDb } from '@gatebook/readmodel/read-db';
import { listUsers } from '@gatebook/readmodel/users/list';
import { findUser } from '@gatebook/readmodel/users/queries';
import { createPool } from '@gatebook/runtime/postgres';
import { emailOf, historyProject as projectId, userIdOf } from './history-log.ts';
import type { HistoryWorld } from './history-world.ts';
import type { Result } from './report.ts';
import { median } from './statistics.ts';

const rounds = 60;

/** What reads of users cost as of a moment, compared with those of today. */
export async function benchPast({
  pool,
  databaseUrl,
  users,
  events,
  position,
  main,
  past,
}: HistoryWorld): Promise<Result[]> {
  const hotPool = createPool(databaseUrl, { max: 4, name: 'bench of hot reads', settings: hotSettings });
  try {
    const readModels = { schema: (group: string) => (group === pastGroup.name ? past.schema : main.schema) };
    const now = createReadDb(pool, readModels, hotPool);
    const pastDb = createPastDb(hotPool, readModels);
    const clock = new Date().toISOString();
    const [middle, latest] = [pastDb({ position: position / 2n, clock }), pastDb({ position, clock })];
    const [cursor, query] = [userIdOf(users / 2), emailOf(users / 2)];
    const list = (db: ReadDb, given: { cursor?: string; query?: string } = {}) =>
      listUsers(db, projectId, {
        teamId: null,
        limit: 100,
        isDescending: false,
        query: '',
        excluded: [],
        onlyAnonymous: false,
        cursor: null,
        ...given,
      });
    const first = () => list(now);
    const inMiddle = () => list(latest, { cursor });
    return [
      await compared('first page as of now', () => list(latest), first),
      await compared('first page as of the middle', () => list(middle), first),
      await compared('middle page as of now', inMiddle, () => list(now, { cursor })),
      await compared('middle page as of now', inMiddle, () => list(latest), 'its first page'),
      await compared(
        'search for one user as of now',
        () => list(latest, { query }),
        () => list(now, { query }),
      ),
      await compared(
        'one user as of the middle',
        () => findUser(middle, projectId, userIdOf(1)),
        () => findUser(now, projectId, userIdOf(1)),
      ),
      {
        name: `rebuild of the past, the first tenth of ${events.toLocaleString('en-US')} events`,
        gatebook: past.perSecond,
        reference: main.perSecond,
        referenceName: 'the main group',
        unit: 'events/s',
        aim: null,
      },
      {
        name: 'disk space of the past',
        gatebook: past.megabytes,
        reference: main.megabytes,
        referenceName: 'the main group',
        unit: 'MB',
        aim: null,
      },
    ];
  } finally {
    await hotPool.end();
  }
}

async function compared(
  name: string,
  work: () => Promise<unknown>,
  reference: () => Promise<unknown>,
  referenceName = 'today’s',
): Promise<Result> {
  const times = { work: [] as number[], reference: [] as number[] };
  for (let round = -10; round < rounds; round += 1) {
    for (const [which, run] of [
      ['work', work],
      ['reference', reference],
    ] as const) {
      const start = performance.now();
      await run();
      if (round >= 0) times[which].push(performance.now() - start);
    }
  }
  const [gatebook, other] = [median(times.work), median(times.reference)];
  return { name: `check 20: ${name}`, gatebook, reference: other, referenceName, unit: 'ms', aim: { atMostRatio: 2 } };
}
