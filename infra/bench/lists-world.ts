import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createPasswordHasher } from '@gatebook/commands/password/password-hashing';
import type { GatebookEvent } from '@gatebook/domain/catalog';
import { createLookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import { type EventStore, NO_STREAM, type Write } from '@gatebook/eventlog/port';
import { newId } from '@gatebook/runtime/ids';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { writePopulation } from '../seed/write-population.ts';
import type { Keys } from '../testing/api-client.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { startProduct } from '../testing/product.ts';
import { buildReadModels } from './build-read-models.ts';
import { untilIdle } from './history-world.ts';
import { type Origin, originOf } from './load.ts';
import { openBenchLog } from './open-log.ts';
import { createProject, password } from './world.ts';

const dayMs = 86_400_000;
const days = 90;

export type ListsWorld = {
  origin: Origin;
  projectId: string;
  keys: Keys;
  /** In the order of sign-up. */
  userIds: string[];
  signedUpFrom: number;
  smallTeamId: string;
  largeTeamId: string;
  stop(): Promise<void>;
};

/**
 * Gatebook with users who differ in what lists are filtered by: one in three is from Sweden, one in five signs in with
 * Google, one in 1,000 is restricted, half were active, and one team has a hundredth of them.
 */
export async function createListsWorld(databaseUrl: string, users: number): Promise<ListsWorld> {
  const dataDir = await makePassableFolder('gatebook-bench-');
  const masterKey = randomBytes(32);
  const env = {
    GATEBOOK_DATA_DIR: dataDir,
    GATEBOOK_DATABASE_URL: databaseUrl,
    GATEBOOK_MASTER_KEY: masterKey.toString('base64'),
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_LOG_LEVEL: 'warn',
  };
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  const until = Date.now();
  const signedUpFrom = until - days * dayMs;
  try {
    const { projectId, keys } = await createProject(env);
    const { store, pool: projecting, keys: logKeys, close } = await openBenchLog(databaseUrl, masterKey);
    const userIds: string[] = [];
    const [smallTeamId, largeTeamId] = [newId(), newId()];
    try {
      const passwordHash = await (await createPasswordHasher()).hash(password);
      const lookupHash = createLookupHash(logKeys.installationKey);
      const setting = { projectId, until: new Date(until).toISOString(), days, users, passwordHash, lookupHash, newId };
      const append: EventStore['append'] = (writes, metadata) =>
        store.append(
          writes.map((write) => (write.stream.startsWith('user-') ? differ(write, userIds) : write)),
          metadata,
        );
      await writePopulation({ append }, setting, { teams: 0, seed: 1, onProgress: () => undefined });
      await writeTeam(store, { projectId, teamId: smallTeamId, userIds: every(userIds, users / 100) });
      await writeTeam(store, { projectId, teamId: largeTeamId, userIds: every(userIds, 100) });
      await buildReadModels({ store, pool: projecting });
    } finally {
      await close();
    }
    const product = await startProduct(env);
    const stop = async () => {
      await product.stop();
      await removeData();
    };
    try {
      const pool = createPool(databaseUrl, { max: 1, name: 'bench of lists', isForLongWork: true });
      try {
        await writeActivity(pool, { projectId, userIds, until });
        await untilIdle(product, pool);
        await pool.query('vacuum analyze');
        await pool.query('checkpoint');
      } finally {
        await pool.end();
      }
      const origin = originOf(`${product.url}/api/v1`);
      return { origin, projectId, keys, userIds, signedUpFrom, smallTeamId, largeTeamId, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await removeData();
    throw error;
  }
}

const every = (ids: readonly string[], step: number) => ids.filter((_, n) => n % Math.max(1, Math.floor(step)) === 0);

/** What the nth user has besides a password. */
function differ(write: Write, userIds: string[]): Write {
  const n = userIds.length;
  const userId = write.stream.slice('user-'.length);
  userIds.push(userId);

  const at = new Date().toISOString();
  const events: GatebookEvent[] = [];
  if (n % 3 === 0) events.push({ type: 'UserCountryCodeChanged', data: { userId, countryCode: 'SE', at } });
  if (n % 5 === 0) {
    const account = { provider: 'google', accountRef: `g${n}`, accountId: `${n}`, email: null, id: null };
    const flags = { allowSignIn: true, allowConnectedAccounts: false };
    events.push({ type: 'OAuthAccountLinked', data: { userId, ...account, ...flags, at } });
  }
  if (n % 1_000 === 7)
    events.push({ type: 'UserRestricted', data: { userId, reason: null, privateDetails: null, at } });
  return { ...write, events: [...write.events, ...events] };
}

const membersAtOnce = 500;
type Team = { projectId: string; teamId: string; userIds: readonly string[] };

async function writeTeam(store: Pick<EventStore, 'append'>, { projectId, teamId, userIds }: Team): Promise<void> {
  const at = new Date().toISOString();
  const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
  const facts = { teamId, projectId, subjectId: teamId, displayName: 'Team', profileImageUrl: null, creatorId: null };
  const created: GatebookEvent = { type: 'TeamCreated', data: { ...facts, ...metadata, at } };
  const joined = userIds.map((userId): Write => {
    const data = { teamId, userId, projectId, permissionKeys: ['team_member'], how: 'added' as const, at };
    return {
      stream: `membership-${teamId}.${userId}`,
      expected: NO_STREAM,
      events: [{ type: 'TeamMemberAdded', data }],
    };
  });
  const writes: Write[] = [{ stream: `team-${teamId}`, expected: NO_STREAM, events: [created] }, ...joined];
  for (let n = 0; n < writes.length; n += membersAtOnce) {
    const requestId = `${teamId} ${n}`;
    const ids = { requestId, correlationId: requestId, causationId: null };
    await store.append(writes.slice(n, n + membersAtOnce), { projectId, actor: { kind: 'system', id: null }, ...ids });
  }
}

type Activity = { projectId: string; userIds: readonly string[]; until: number };

/** Half of the users were last active within the last 30 days, not in the order in which they signed up. */
async function writeActivity(pool: Pool, { projectId, userIds, until }: Activity): Promise<void> {
  const active = userIds.filter((_, n) => n % 2 === 0);
  const times = active.map((_, n) => until - ((n * 7_919) % (30 * 86_400)) * 1_000);
  await pool.query(
    `insert into activity.users (user_id, project_id, last_active_at, country)
     select id, $1, to_timestamp(at / 1000.0), case when at::bigint % 7 = 0 then 'SE' else 'DE' end
     from unnest($2::uuid[], $3::float8[]) as a(id, at)`,
    [projectId, active, times],
  );
  await pool.query(
    `insert into activity.days (project_id, day, user_id)
     select project_id, (last_active_at at time zone 'UTC')::date, user_id from activity.users on conflict do nothing`,
  );
}
