import { migrate, type Pool } from '@gatebook/runtime/postgres';

/** Creates or updates the schemas `log` and `keys`. */
export async function migrateEventLog(pool: Pool): Promise<void> {
  await migrate(pool, new URL('./migrations/', import.meta.url), 'log');
  await migrate(pool, new URL('./key-migrations/', import.meta.url), 'keys');
}
