import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createResponseCipher } from '@gatebook/eventlog/encryption/response-cipher';
import { openLog } from '@gatebook/gatebook/open-log';
import { createLogger } from '@gatebook/runtime/logger';
import type { Pool } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { Redis } from 'ioredis';
import type { Send } from '../../testing/api-client.ts';
import type { OwnedProject } from '../../testing/owned-project.ts';
import { hasCanary, needles } from './canary.ts';
import { expectOk } from './expect-ok.ts';

/** Finds the canary in all tables of all schemas, including the planner's statistics. */
export async function searchDatabase(pool: Pool): Promise<string[]> {
  const { rows: tables } = await pool.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'm') and n.nspname <> 'information_schema' and n.nspname not like 'pg_toast%' order by 1, 2`,
  );
  const found: string[] = [];
  for (const { schema, name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select t::text as row from "${schema}"."${name}" t where t::text ilike any ($1) limit 3`,
      [needles.map((needle) => `%${needle}%`)],
    );
    if (rows.length > 0) found.push(`${schema}.${name}: ${rows[0]?.row.slice(0, 300)}`);
  }
  return found;
}

/** Finds the canary in what the master key decrypts: events and idempotency records. */
export async function searchDecrypted(databaseUrl: string, masterKey: Buffer): Promise<string[]> {
  const logger = createLogger({ level: 'silent' });
  const shutdown = createShutdown(logger);
  try {
    const { store, keyring, keys, pool } = await openLog({ databaseUrl, masterKey, logger, shutdown });
    const found: string[] = [];
    for (const { type, data, metadata } of await store.readAll(0n, 10_000)) {
      const text = JSON.stringify({ data, metadata });
      if (hasCanary(text)) found.push(`${type}: ${text}`);
    }
    const encrypt = createResponseCipher(keys.installationKey, keyring);
    const { rows } = await pool.query<{ id: string; answer: string; subjects: string[] }>(
      'select id, answer, subjects from requests.answers where answer is not null',
    );
    for (const { id, ...encrypted } of rows) {
      const answer = await encrypt.open(id, encrypted);
      if (answer !== null && hasCanary(answer)) found.push(`answer: ${answer.slice(0, 300)}`);
    }
    return found;
  } finally {
    await shutdown.run();
  }
}

/** Events of the project and all that its webhooks still have of them. */
export async function readEvents(send: Send, project: OwnedProject) {
  const admin = { ...project, access: 'admin' } as const;
  const events = expectOk(await send('GET', '/events?limit=1000', admin));
  const [endpoint] = expectOk(await send('GET', '/webhooks/endpoints', admin)).body.items as { id: string }[];
  const path = `/webhooks/endpoints/${endpoint?.id}/deliveries`;
  const deliveries = expectOk(await send('GET', `${path}?limit=100`, admin)).body.items as { id: string }[];
  const texts: string[] = [];
  for (const { id } of deliveries) texts.push(expectOk(await send('GET', `/webhooks/deliveries/${id}`, admin)).text);
  const items = events.body.items as { id: string; type: string }[];
  const all = [...items.map((item) => JSON.stringify(item)), ...texts];
  return { ids: items.map(({ id }) => id), found: all.filter(hasCanary) };
}

/** Finds the canary in all keys of Redis. */
export async function searchRedis(url: string): Promise<string[]> {
  const redis = new Redis(url);
  try {
    const found: string[] = [];
    for (const key of await redis.keys('*')) {
      const read: Record<string, () => Promise<unknown>> = {
        string: () => redis.get(key),
        hash: () => redis.hgetall(key),
        list: () => redis.lrange(key, 0, -1),
        set: () => redis.smembers(key),
        zset: () => redis.zrange(key, '0', '-1'),
        stream: () => redis.xrange(key, '-', '+'),
      };
      const value = JSON.stringify([key, await read[await redis.type(key)]?.()]);
      if (hasCanary(value)) found.push(value.slice(0, 300));
    }
    return found;
  } finally {
    redis.disconnect();
  }
}

/**
 * Finds the canary in the files of the data folder, except for `pg_wal`: data stays in the write-ahead log until
 * Postgres reuses the file (docs/decisions/0028).
 */
export async function searchFolder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || file.includes('/pg_wal/')) continue;
    const bytes = await readFile(file).catch(() => null);
    if (bytes && hasCanary(bytes.toString('latin1'))) found.push(relative(folder, file));
  }
  return found;
}
