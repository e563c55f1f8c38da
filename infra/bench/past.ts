import type { GatebookEvent } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import { defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '@gatebook/domain/project/config';
import { unknownSignIn } from '@gatebook/domain/user/events';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { createIndexes } from '@gatebook/projections/projection-tables';
import { createProjectionVersion, markReady, migrateProjections } from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import { promoteProjectionVersion } from '@gatebook/projections/promotion';
import { testEvent } from '@gatebook/projections/testing/test-log';
import { migrateActivity } from '@gatebook/readmodel/activity/activity';
import { createPastDb } from '@gatebook/readmodel/past/past-db';
import { mainGroup, pastGroup } from '@gatebook/readmodel/projection-groups';
import { createReadDb, hotSettings, type ReadDb } from '@gatebook/readmodel/read-db';
import { listUsers } from '@gatebook/readmodel/users/list';
import { findUser } from '@gatebook/readmodel/users/queries';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import type { Bench } from './bench.ts';
import type { Result } from './report.ts';
import { median } from './statistics.ts';

/** Of a run at full size: 10 events per user. */
const usersAtFullSize = 100_000;
const changesPerUser = 8;
const batch = 10_000;
const rounds = 60;
const projectId = 'bench';
const at = '2026-01-01T00:00:00.000Z';

const idOf = (kind: number, n: number) =>
  `00000000-0000-4000-8${String(kind).padStart(3, '0')}-${String(n).padStart(12, '0')}`;

/** What the list of users costs as of a moment, compared with today's list. */
export async function benchPast(databaseUrl: string, { scale }: Pick<Bench, 'scale'>): Promise<Result[]> {
  const users = Math.max(1_000, Math.round(usersAtFullSize * scale));
  const pool = createPool(databaseUrl, { max: 4, name: 'bench of the past' });
  const hotPool = createPool(databaseUrl, { max: 4, name: 'bench of hot reads', settings: hotSettings });
  try {
    await Promise.all([migrateProjections(pool), migrateActivity(pool)]);
    const main = await build(pool, mainGroup, users);
    const past = await build(pool, pastGroup, users);
    const readModels = { schema: (group: string) => (group === pastGroup.name ? past.schema : main.schema) };
    const now = createReadDb(pool, readModels, hotPool);
    const pastDb = createPastDb(hotPool, readModels);
    const middle = pastDb({ position: past.position / 2n, clock: at });
    const latest = pastDb({ position: past.position, clock: at });
    const cursor = idOf(2, users / 2);
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
    return [
      await compared(
        'first page as of now',
        () => list(latest),
        () => list(now),
      ),
      await compared(
        'first page as of the middle',
        () => list(middle),
        () => list(now),
      ),
      await compared(
        'middle page as of now',
        () => list(latest, { cursor }),
        () => list(now, { cursor }),
      ),
      await compared(
        'middle page as of now',
        () => list(latest, { cursor }),
        () => list(latest),
        'its first page',
      ),
      await compared(
        'search for one user as of now',
        () => list(latest, { query: `u${users / 2}@example.com` }),
        () => list(now, { query: `u${users / 2}@example.com` }),
      ),
      await compared(
        'one user as of the middle',
        () => findUser(middle, projectId, idOf(2, 1)),
        () => findUser(now, projectId, idOf(2, 1)),
      ),
      {
        name: `rebuild of the past, ${(users * (changesPerUser + 2)).toLocaleString('en-US')} events`,
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
    await Promise.all([pool.end(), hotPool.end()]);
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
  return { name, gatebook, reference: other, referenceName, unit: 'ms', aim: { atMostRatio: 2 } };
}

async function build(pool: Pool, group: ProjectionGroup, users: number) {
  const version = await createProjectionVersion(pool, group);
  const target = { ...version, tables: group.tables };
  const start = performance.now();
  let position = 0n;
  let events: Recorded[] = [];
  const flush = async () => {
    if (events.length > 0) ({ position } = await projectBatch(pool, group, target, position, events));
    events = [];
  };
  for (const event of history(users)) {
    events.push(event);
    if (events.length === batch) await flush();
  }
  await flush();
  await createIndexes(pool, version);
  const seconds = (performance.now() - start) / 1000;
  await pool.query('vacuum analyze');
  await markReady(pool, version);
  await promoteProjectionVersion(pool, version.id);
  const { rows } = await pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r'`,
    [version.schema],
  );
  return {
    schema: version.schema,
    position,
    perSecond: Number(position) / seconds,
    megabytes: Number(rows[0]?.bytes ?? 0) / 1_000_000,
  };
}

/** All users sign up, and are then changed in turn. Each request is one action. */
function* history(users: number): Generator<Recorded> {
  let position = 0n;
  const event = (stream: string, requestId: string, { type, data }: GatebookEvent): Recorded => {
    position += 1n;
    const id = idOf(9, Number(position));
    const metadata = { ...testEvent.metadata, projectId, requestId };
    return { ...testEvent, id, stream, type, data, position, revision: 1n, metadata, committedAt: at };
  };
  const settings = { config: defaultProjectConfig, secrets: noProjectSecrets, settings: defaultProjectSettings };
  const details = { displayName: 'Bench', description: '', isProductionMode: false };
  yield event(`project-${projectId}`, 'project', {
    type: 'ProjectCreated',
    data: { projectId, subjectId: idOf(1, 1), ...details, ...settings, at },
  });
  for (let n = 0; n < users; n += 1) {
    const userId = idOf(2, n);
    const facts = { displayName: `User ${n}`, profileImageUrl: null, isAnonymous: false, method: 'password' as const };
    const metadata = { clientMetadata: { n }, clientReadOnlyMetadata: null, serverMetadata: { plan: 'free' } };
    const signedUpAt = new Date(Date.parse(at) + n * 1_000).toISOString();
    yield event(`user-${userId}`, `sign-up ${n}`, {
      type: 'UserCreated',
      data: { ...unknownSignIn, userId, projectId, ...facts, ...metadata, signedUpAt, at: signedUpAt },
    });
    const flags = { isPrimary: true, isVerified: true, usedForAuth: true };
    yield event(`user-${userId}`, `sign-up ${n}`, {
      type: 'ContactChannelAdded',
      data: { userId, channelId: idOf(3, n), channelType: 'email', value: `u${n}@example.com`, ...flags, at },
    });
  }
  for (let turn = 0; turn < changesPerUser; turn += 1) {
    for (let n = 0; n < users; n += 1) {
      const userId = idOf(2, n);
      const renamed: GatebookEvent = { type: 'UserRenamed', data: { userId, displayName: `User ${n} ${turn}`, at } };
      const described: GatebookEvent = {
        type: 'UserMetadataChanged',
        data: { userId, scope: 'server', value: { turn }, at },
      };
      yield event(`user-${userId}`, `change ${turn} ${n}`, turn % 2 === 0 ? renamed : described);
    }
  }
}
