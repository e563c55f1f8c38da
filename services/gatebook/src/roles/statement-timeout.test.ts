import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { projectionsTemplate } from '@gatebook/projections/testing/projections-template';
import { create, createTalliesLog, talliesGroup } from '@gatebook/projections/testing/tallies';
import { silentLogger as logger, type TestLog } from '@gatebook/projections/testing/test-log';
import { noInstruments } from '@gatebook/runtime/instruments';
import { pause } from '@gatebook/runtime/pause';
import { createPool } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProjector, startProjectorRole } from './projector.ts';

const group = talliesGroup('main');

let database: TestDatabase;
let log: TestLog;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  [database, log] = await Promise.all([testDatabase(projectionsTemplate), createTalliesLog()]);
  // Indexes of large tables take longer than requests may.
  await database.pool.query(`
    create function slow() returns event_trigger language plpgsql as $$ begin
      perform pg_sleep(0.1) from pg_event_trigger_ddl_commands() where object_identity like '%_by_name';
    end $$;
    create event trigger slow_indexes on ddl_command_end when tag in ('CREATE INDEX') execute function slow();
    do $$ begin execute format('alter database %I set statement_timeout = ''40ms''', current_database()); end $$`);
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await database.close();
});

const projectionVersion = async () => (await listProjectionVersions(database.pool, 'main'))[0];

test('a statement timeout of the database does not interrupt a rebuild', async () => {
  const shutdown = createShutdown(logger);
  closers.push(async () => {
    await shutdown.run();
  });
  const { url } = database;
  const databases = { api: url, projector: url, worker: url };
  startProjectorRole(log, { databases, logger, instruments: noInstruments, shutdown });
  await expect.poll(projectionVersion).toMatchObject({ status: 'live', stopped: null });
});

test('a rebuild that fails repeatedly at the same step counts as stopped, although new events are applied, and recovers', async () => {
  const pool = createPool(database.url, { max: 4, name: 'projector' });
  const projector = startProjector({ group, store: log.store, pool, databaseUrl: database.url, logger });
  closers.push(async () => {
    await projector.stop();
    await pool.end();
  });
  for (let n = 1; (await projectionVersion())?.stopped == null; n += 1) {
    await create(log, n);
    await pause(50);
  }
  expect(await projectionVersion()).toMatchObject({
    status: 'building',
    stopped: { error: expect.stringMatching(/^5 attempts .* statement timeout$/), isRetried: true },
  });
  await database.pool.query('drop event trigger slow_indexes');
  await expect.poll(projectionVersion).toMatchObject({ status: 'live', stopped: null });
});
