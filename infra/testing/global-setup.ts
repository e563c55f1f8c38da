import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@gatebook/gatebook/embedded/postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { makeDataFolder } from './passable-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of the maintenance database, which tests use to create databases. */
    testDatabaseUrl: string;
    /** Begins the names of the databases that this run copies. */
    testTemplatePrefix: string;
    /** Has one byte for each fault that tests have injected. */
    faultsFile: string;
  }
}

/** One for all projects of a run. `run-tests.ts` reads and deletes it. */
function createFaultsFile(): string {
  if (!process.env.TEST_FAULTS_FILE) {
    process.env.TEST_FAULTS_FILE = join(mkdtempSync(join(tmpdir(), 'gatebook-faults-')), 'faults');
    writeFileSync(process.env.TEST_FAULTS_FILE, '');
  }
  return process.env.TEST_FAULTS_FILE;
}

/** One Postgres per run: the server at `TEST_DATABASE_URL`, or the embedded one. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const prefix = `template_${randomBytes(4).toString('hex')}_`;
  project.provide('testTemplatePrefix', prefix);
  project.provide('faultsFile', createFaultsFile());
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    project.provide('testDatabaseUrl', given);
    return () => dropTemplates(given, prefix);
  }
  const folder = await makeDataFolder('gatebook-test-');
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    isDurable: false,
    maxConnections: 400,
    settings: { scram_iterations: '1' },
  });
  await storePasswordAgain(server.url('postgres'));
  project.provide('testDatabaseUrl', server.url('postgres'));
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** With the iterations of the server: those of initdb cost a client 2 ms of CPU time per connection. */
async function storePasswordAgain(serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`alter role current_user password ${pg.escapeLiteral(String(client.password))}`);
  await client.end();
}

async function dropTemplates(serverUrl: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    'select datname as name from pg_database where starts_with(datname, $1)',
    [prefix],
  );
  for (const { name } of rows) await client.query(`drop database ${pg.escapeIdentifier(name)}`);
  await client.end();
}
