import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { UnitOfWorkDeps } from '@gatebook/commands/deps';
import { createPasswordHasher } from '@gatebook/commands/password/password-hashing';
import { createProject, findActiveProject } from '@gatebook/commands/project/project';
import { startContext } from '@gatebook/commands/project/seed';
import { internalProjectId } from '@gatebook/domain/project/decide';
import { createLookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import { prepareDatabase } from '@gatebook/gatebook/database/prepare';
import { findMasterKeys, lockDataFolder, openDataFolder, StartError } from '@gatebook/gatebook/embedded/data-folder';
import { ensureDatabase, startEmbeddedPostgres } from '@gatebook/gatebook/embedded/postgres';
import { openLog } from '@gatebook/gatebook/open-log';
import { systemClock } from '@gatebook/runtime/clock';
import { ConfigError, readConfig } from '@gatebook/runtime/config';
import { sha256 } from '@gatebook/runtime/hash';
import { newId } from '@gatebook/runtime/ids';
import { createLogger } from '@gatebook/runtime/logger';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { Presets, SingleBar } from 'cli-progress';
import { writePopulation } from './write-population.ts';

const password = 'seeded password';
const help = `npm run seed -- [--users 1000] [--teams 50] [--days 90] [--project <id>] [--seed 1]

Writes made-up users and teams through the log of this Gatebook (GATEBOOK_DATA_DIR, GATEBOOK_DATABASE_URL), which must not be
running. Without --project they go into a new project "Seeded" of the first owner. Everybody's password is "${password}".
`;
const options = {
  users: { type: 'string', default: '1000' },
  teams: { type: 'string', default: '50' },
  days: { type: 'string', default: '90' },
  project: { type: 'string' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;

const logger = createLogger({ level: 'warn' });
const shutdown = createShutdown(logger);
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());
try {
  const { values } = parseArgs({ options });
  if (values.help) process.stdout.write(help);
  else await seed(values);
} catch (error) {
  const isForPeople = error instanceof ConfigError || error instanceof StartError || error instanceof TypeError;
  process.stderr.write(`${isForPeople ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
} finally {
  await shutdown.run();
}

type Values = { users: string; teams: string; days: string; seed: string; project?: string | undefined };

async function seed(values: Values): Promise<void> {
  const [users, teams, days] = [count('users', values.users), count('teams', values.teams), count('days', values.days)];
  const config = readConfig(process.env);
  const dataDir = await openDataFolder(config.dataDir);
  shutdown.add('data folder', await lockDataFolder(dataDir));
  const masterKey = await findMasterKeys(dataDir, config.encryption);
  const databaseUrl = config.database.url ?? (await startDatabase(dataDir));
  const { rolePrefix } = config.database;
  const { api } = await prepareDatabase(databaseUrl, { rolePrefix });
  const { store, keys } = await openLog({
    databaseUrl: api,
    eventStore: config.eventStore,
    masterKey,
    logger,
    shutdown,
  });
  const lookupHash = createLookupHash(keys.installationKey);
  const deps = { store, now: systemClock, newId, sha256, lookupHash };
  const projectId = await chooseProject(deps, values.project);
  const setting = {
    projectId,
    until: systemClock(),
    days,
    users,
    newId,
    lookupHash,
    passwordHash: await (await createPasswordHasher()).hash(password),
  };
  const bar = new SingleBar(
    { format: '{bar} {percentage} % | {events} events, {rate}/s | {eta_formatted} left', etaBuffer: 50 },
    Presets.shades_classic,
  );
  const start = performance.now();
  bar.start(users + teams, 0, { events: 0, rate: 0 });
  const onProgress = (done: number, events: number): void => {
    const rate = Math.round((events * 1000) / (performance.now() - start));
    bar.update(done, { events: events.toLocaleString('en'), rate: rate.toLocaleString('en') });
  };
  const isWhole = await writePopulation(store, setting, {
    teams,
    seed: count('seed', values.seed),
    onProgress,
    signal: stopping.signal,
  });
  bar.stop();
  const told = isWhole ? 'Done' : 'Stopped; what was written stays';
  process.stdout.write(`${told}. Project ${projectId}; everybody's password is "${password}".\n`);
}

/** @throws StartError for anything but a whole number */
function count(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new StartError(`--${name} must be a whole number.`);
}

async function startDatabase(dataDir: string): Promise<string> {
  const server = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') });
  shutdown.add('database', () => server.stop());
  await ensureDatabase(server, 'gatebook');
  return server.url('gatebook');
}

/** @throws StartError when the project does not exist, or when there is no owner for a new one */
async function chooseProject(deps: UnitOfWorkDeps, wanted: string | undefined): Promise<string> {
  if (wanted !== undefined) {
    if (await findActiveProject(deps, wanted)) return wanted;
    throw new StartError(`There is no project ${wanted}.`);
  }
  const internal = await findActiveProject(deps, internalProjectId);
  const [ownerUserId] = internal?.owners.keys() ?? [];
  if (ownerUserId === undefined) {
    throw new StartError(
      'There is no owner account yet: start Gatebook, open the setup link, stop it and run the seed again.',
    );
  }
  const { projectId } = await createProject(deps, startContext(deps), { displayName: 'Seeded', ownerUserId });
  return projectId;
}
