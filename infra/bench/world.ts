import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createPasswordHasher } from '@gatebook/commands/password/password-hashing';
import { createLookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import { createPool } from '@gatebook/runtime/postgres';
import { createApiClient, type Keys } from '../testing/api-client.ts';
import { createOwnedProject } from '../testing/owned-project.ts';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';
import type { BareSettings } from './bare-server.ts';
import { bareIndexes, bareTables } from './bare-tables.ts';
import { type Processes, settle } from './compare.ts';
import { findPostmaster } from './cpu.ts';
import { type Call, type Origin, originOf, sendOnce } from './load.ts';
import { openBenchLog } from './open-log.ts';
import { type People, populate } from './population.ts';
import { startProcess } from './processes.ts';

export const password = 'seeded password';

/** What a caller needs to use one of the servers. */
export type Access = {
  projectId: string;
  keys: Keys;
  sessions: { userId: string; accessToken: string; refreshToken: string }[];
  apiKeys: string[];
};
export type Server = Processes & { origin: Origin };
export type Player = Server & Access;
/** Gatebook and the bare server on one Postgres, with the same users. */
export type World = {
  gatebook: Player;
  bare: Player;
  people: People;
  /** Events per second of writing the users to the log of Gatebook. */
  seedRate: number;
  /** Emails that arrived from either of them. */
  countEmails(): Promise<number>;
  stop(): Promise<void>;
};
type Options = {
  users: number;
  freshDatabase: (name: string) => Promise<string>;
  program?: readonly [string, ...string[]];
};

/** So many people take turns, so that no cache gets by with a few. */
const maxSessions = 256;

export async function createWorld({ users, freshDatabase, program }: Options): Promise<World> {
  const dataDir = await makePassableFolder('gatebook-bench-');
  const stops: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of stops.splice(0).toReversed()) await step();
  };
  try {
    const mail = await startProcess(new URL('smtp-sink.ts', import.meta.url), [], {}, (line) => line.startsWith('{'));
    stops.push(mail.stop);
    const smtpUrl = `smtp://127.0.0.1:${portIn(mail.line)}`;
    const [databaseUrl, bareUrl] = [await freshDatabase(`gatebook_${users}`), await freshDatabase(`bare_${users}`)];
    const masterKey = randomBytes(32);
    const env = {
      GATEBOOK_DATA_DIR: dataDir,
      GATEBOOK_DATABASE_URL: databaseUrl,
      GATEBOOK_MASTER_KEY: masterKey.toString('base64'),
      GATEBOOK_SMTP_URL: smtpUrl,
      GATEBOOK_RATE_LIMITS: 'off',
      GATEBOOK_ACCESS_TOKEN_SECONDS: '3600',
      GATEBOOK_LOG_LEVEL: 'warn',
    };
    const { projectId, keys } = await createProject(env);
    const { people, seedRate } = await fill({ databaseUrl, bareUrl, masterKey, projectId, users });
    const product = await startProduct(env, program);
    stops.push(product.stop);
    const bare = await startBare({
      databaseUrl: bareUrl,
      projectId,
      client: keys.client,
      server: keys.server,
      smtpUrl,
    });
    stops.push(bare.stop);
    const postmaster = await tidyUp([databaseUrl, bareUrl]);
    const gatebook = { origin: originOf(`${product.url}/api/v1`), pid: pidOf(product), postmaster };
    await untilIdle(gatebook);
    const enter = async (server: Server): Promise<Player> => ({
      ...server,
      ...{ projectId, keys },
      ...(await openSessions(server, { projectId, keys }, people)),
    });
    return {
      gatebook: await enter(gatebook),
      bare: await enter({ ...bare.server, postmaster }),
      people,
      seedRate,
      countEmails: async () => {
        mail.child.send('count');
        const [count] = (await once(mail.child, 'message')) as [number];
        return count;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const portIn = (line: string) => (JSON.parse(line) as { port: number }).port;

function pidOf({ child }: Pick<Product, 'child'>): number {
  if (child.pid === undefined) throw new Error('the process did not start');
  return child.pid;
}

/** A project as customers have, not `internal`. Gatebook is stopped again, because users are written faster then. */
export async function createProject(env: Readonly<Record<string, string>>): Promise<{ projectId: string; keys: Keys }> {
  const product = await startProduct(env);
  try {
    const config = { allow_user_api_keys: true, allow_localhost: true };
    return await createOwnedProject(createApiClient(product.url, internalKeys), config);
  } finally {
    await product.stop();
  }
}

type Filling = {
  databaseUrl: string;
  bareUrl: string;
  masterKey: Buffer<ArrayBuffer>;
  projectId: string;
  users: number;
};

async function fill({
  databaseUrl,
  bareUrl,
  masterKey,
  projectId,
  users,
}: Filling): Promise<{ people: People; seedRate: number }> {
  const log = await openBenchLog(databaseUrl, masterKey);
  const bare = createPool(bareUrl, { max: 1, name: 'bench rows', isForLongWork: true });
  try {
    await bare.query(bareTables);
    const lookupHash = createLookupHash(log.keys.installationKey);
    const passwordHash = await (await createPasswordHasher()).hash(password);
    const populated = await populate({ store: log.store, lookupHash, bare }, { projectId, users, passwordHash });
    await bare.query(bareIndexes);
    return populated;
  } finally {
    await bare.end();
    await log.close();
  }
}

/** Starts the bare server on a database that has its tables. */
export async function startBare(
  settings: BareSettings,
): Promise<{ server: Omit<Server, 'postmaster'>; stop(): Promise<void> }> {
  const file = new URL('bare-server.ts', import.meta.url);
  const { line, stop, child } = await startProcess(file, [JSON.stringify(settings)], {}, (text) =>
    text.startsWith('{'),
  );
  return { server: { origin: originOf(`http://127.0.0.1:${portIn(line)}`), pid: pidOf({ child }) }, stop };
}

/** Vacuums now what would be vacuumed during the measurements. @returns the process ID of Postgres */
async function tidyUp(urls: readonly string[]): Promise<number> {
  let postmaster = 0;
  for (const url of urls) {
    const pool = createPool(url, { max: 1, name: 'bench', isForLongWork: true });
    await pool.query('vacuum analyze');
    await pool.query('checkpoint');
    postmaster = await findPostmaster(pool);
    await pool.end();
  }
  return postmaster;
}

async function untilIdle(server: Server): Promise<void> {
  while ((await settle(server)).busyMs > 500);
}

/** Headers of a server of the project. */
export const serverHeaders = ({ projectId, keys }: Pick<Access, 'projectId' | 'keys'>) => ({
  'x-stack-access-type': 'server',
  'x-stack-project-id': projectId,
  'x-stack-secret-server-key': keys.server,
});

async function openSessions(
  { origin }: Server,
  access: Pick<Access, 'projectId' | 'keys'>,
  people: People,
): Promise<Pick<Access, 'sessions' | 'apiKeys'>> {
  const headers = { ...serverHeaders(access), 'content-type': 'application/json' };
  const post = async <Body>(path: string, body: object): Promise<Body> => {
    const call: Call = { method: 'POST', path, headers, body: JSON.stringify(body) };
    return JSON.parse((await sendOnce(origin, call)).body) as Body;
  };
  const sessions: Access['sessions'] = [];
  const apiKeys: string[] = [];
  const step = Math.max(1, Math.floor(people.ids.length / maxSessions));
  for (let n = 0; n < people.ids.length && sessions.length < maxSessions; n += step) {
    const user_id = people.ids[n] ?? '';
    const tokens = await post<{ access_token: string; refresh_token: string }>('/auth/sessions', { user_id });
    sessions.push({ userId: user_id, accessToken: tokens.access_token, refreshToken: tokens.refresh_token });
    const key = { user_id, description: 'bench', expires_at_millis: null };
    apiKeys.push((await post<{ value: string }>('/user-api-keys', key)).value);
  }
  return { sessions, apiKeys };
}
