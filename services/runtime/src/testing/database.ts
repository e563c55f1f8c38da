import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { createPool, type Pool } from '../postgres.ts';

export type TestDatabase = { url: string; pool: Pool; close(): Promise<void> };

/** Creates an empty database on the server of the test run. `close` drops it. */
export async function testDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('testDatabaseUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const pool = createPool(url.href, { max: 10, name: 'test' });
  return {
    url: url.href,
    pool,
    close: async () => {
      await pool.end();
      await onServer(serverUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
