import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@gatebook/gatebook/embedded/postgres';
import type { TestProject } from 'vitest/node';
import { makePassableFolder } from './passable-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of the maintenance database, which tests use to create databases. */
    testDatabaseUrl: string;
  }
}

/** One Postgres per run: the server at `TEST_DATABASE_URL`, or the embedded one. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    project.provide('testDatabaseUrl', given);
    return async () => undefined;
  }
  const folder = await makePassableFolder('gatebook-test-');
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    isDurable: false,
    maxConnections: 400,
  });
  project.provide('testDatabaseUrl', server.url('postgres'));
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
