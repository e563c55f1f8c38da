import { randomBytes } from 'node:crypto';
import { eventLogPrivileges } from '@gatebook/eventlog/postgres/privileges';
import { createProjectionVersion } from '@gatebook/projections/projection-versions';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { type DatabaseRole, databaseRoles, roleNames, urlAs } from '@gatebook/runtime/database-roles';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { type TestDatabase, testDatabase } from '@gatebook/runtime/testing/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareDatabase, useLogins } from './prepare.ts';

let database: TestDatabase;
let pools: Record<DatabaseRole, Pool>;
let projectionVersion: string;
beforeAll(async () => {
  database = await testDatabase();
  const urls = await prepareDatabase(database.url);
  const open = (role: DatabaseRole) => createPool(urls[role], { max: 1, name: `test ${role}` });
  pools = { api: open('api'), projector: open('projector'), worker: open('worker') };
  projectionVersion = (await createProjectionVersion(pools.projector, mainGroup)).schema;
});
afterAll(async () => {
  await Promise.all(databaseRoles.map((role) => pools[role].end()));
  await database.close();
});

/** Runs a statement and rolls it back. @returns whether the role has the privilege; other errors mean that it has */
async function mayRun(pool: Pool, sql: string): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(sql);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === '42501');
  } finally {
    await client.query('rollback');
    client.release();
  }
}

type Table = { name: string; column: string };

/** All tables, from the catalog. Tables of projection versions are listed once. */
async function everyTable(): Promise<Table[]> {
  const { rows } = await database.pool.query<Table>(
    `select c.oid::regclass::text as name, (
        select quote_ident(a.attname) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and a.attidentity = '' order by a.attnum limit 1) as column
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema|public$)'
       and (n.nspname <> $1 or c.relname in ('users', 'sessions')) and n.nspname <> 'jobs'
     order by 1`,
    [projectionVersion],
  );
  return rows;
}

/** The statement for each letter: select, insert, update, delete. */
const statements: Readonly<Record<string, (table: Table) => string>> = {
  r: ({ name }) => `select from ${name} limit 1`,
  i: ({ name, column }) => `insert into ${name} (${column}) values (null)`,
  u: ({ name, column }) => `update ${name} set ${column} = ${column} where false`,
  d: ({ name }) => `delete from ${name} where false`,
};

/** Statements that only the owner of a table can run. */
const destructive = (table: Table) => [
  `truncate ${table.name}`,
  `alter table ${table.name} add column added text`,
  `alter table ${table.name} disable trigger all`,
  `create index on ${table.name} (${table.column})`,
  `drop table ${table.name} cascade`,
];

describe('privileges of the roles', () => {
  /** The privileges of `api`, `projector` and `worker` by table. Add new tables here. */
  const expected: Readonly<Record<string, readonly [api: string, projector: string, worker: string]>> = {
    'activity.active_users': ['r', '', 'rid'],
    'activity.api_keys': ['riu', '', 'rd'],
    'activity.counts': ['r', '', 'riud'],
    'activity.metric_counts': ['r', '', 'riud'],
    'activity.metric_progress': ['r', '', 'riud'],
    'activity.user_batches': ['riu', '', 'rud'],
    'activity.user_batch_users': ['ri', '', 'rud'],
    'activity.metric_users': ['', '', 'rid'],
    'activity.days': ['riu', '', 'rd'],
    'activity.first_requests': ['ri', '', 'rd'],
    'activity.rejections': ['riu', '', 'riud'],
    'activity.rejected_requests': ['ri', '', 'rud'],
    'activity.rejection_expiry': ['r', '', 'riu'],
    'activity.sessions': ['riu', '', 'rd'],
    'activity.throttled_accounts': ['riu', '', 'rd'],
    'activity.users': ['riu', '', 'rd'],
    'backups.made': ['r', 'r', 'r'],
    'backups.restore': ['r', 'r', 'r'],
    'peers.apis': ['riud', '', ''],
    'keys.erased_projects': ['r', 'r', 'r'],
    'keys.installation': ['ri', 'ri', 'ri'],
    'keys.project_search': ['', '', 'riu'],
    'keys.signing': ['ri', '', ''],
    'keys.subjects': ['ri', 'r', 'ri'],
    'log.archive': ['', '', ''],
    'log.blobs': ['r', 'r', 'r'],
    'log.epochs': ['r', 'r', 'r'],
    'log.events': ['r', 'r', 'r'],
    'log.events_0': ['', '', ''],
    'log.events_1': ['', '', ''],
    'log.snapshots': ['r', '', 'r'],
    'log.streams': ['r', 'r', 'r'],
    'main_g.sessions': ['r', 'riud', 'r'],
    'main_g.users': ['r', 'riud', 'r'],
    'readmodel.checksums': ['', 'riud', ''],
    'readmodel.subscriptions': ['r', 'r', 'riu'],
    'readmodel.quarantines': ['r', 'riud', 'riud'],
    'readmodel.tombstones': ['r', 'riud', 'r'],
    'readmodel.projection_versions': ['r', 'riud', 'r'],
    'readmodel.projection_shards': ['r', 'riud', 'r'],
    'readmodel.orphaned_schemas': ['', 'rid', ''],
    'readmodel.operations': ['rid', 'rud', ''],
    'readmodel.consistency_checks': ['r', 'rid', 'r'],
    'requests.answers': ['riud', '', 'rd'],
    'webhooks.attempts': ['r', '', 'rid'],
    'webhooks.deliveries': ['rud', '', 'riud'],
    'webhooks.endpoints': ['r', '', 'riud'],
    'webhooks.replays': ['riu', '', 'rud'],
    'worker.code_keys': ['', '', 'rid'],
    'worker.queue_reports': ['r', 'r', 'riu'],
    'worker.email_counts': ['', '', 'riud'],
    ...Object.fromEntries(
      ['activity', 'backups', 'peers', 'keys', 'log', 'readmodel', 'requests', 'webhooks', 'worker'].map((schema) => [
        `${schema}.migrations`,
        ['r', 'r', 'r'],
      ]),
    ),
  };

  test('each role can select, insert, update and delete only in the tables it needs', async () => {
    const found: Record<string, string[]> = {};
    for (const table of await everyTable()) {
      const name = table.name.replace(projectionVersion, 'main_g');
      found[name] = [];
      for (const role of databaseRoles) {
        const letters: string[] = [];
        for (const [letter, sql] of Object.entries(statements)) {
          if (await mayRun(pools[role], sql(table))) letters.push(letter);
        }
        found[name].push(letters.join(''));
      }
    }
    expect(found).toEqual(expected);
  });

  test('no role can truncate, alter or drop a table', async () => {
    const allowed: string[] = [];
    for (const table of await everyTable()) {
      for (const role of databaseRoles) {
        if (role === 'projector' && table.name.startsWith(`${projectionVersion}.`)) continue;
        for (const sql of destructive(table)) if (await mayRun(pools[role], sql)) allowed.push(`${role}: ${sql}`);
      }
    }
    expect(allowed).toEqual([]);
  });

  test('the worker owns the queues', async () => {
    const { rows } = await database.pool.query<{ owner: string }>(
      `select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = 'jobs'::regnamespace
       union select pg_get_userbyid(proowner) from pg_proc where pronamespace = 'jobs'::regnamespace
       union select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'jobs'`,
    );
    expect(rows).toEqual([{ owner: 'gatebook_worker' }]);
    for (const role of ['api', 'projector'] as const) {
      expect(await mayRun(pools[role], 'select from jobs.job limit 1')).toBe(false);
    }
  });

  test.each([
    ['api', 'create schema theirs'],
    ['worker', 'create schema theirs'],
    ...databaseRoles.flatMap((role) => [
      [role, 'create table log.theirs (id int)'],
      [role, 'create table public.theirs (id int)'],
      [role, 'create role theirs'],
      [role, 'set session authorization default; set role none; create role theirs'],
      [
        role,
        `create or replace function log.reject_change() returns trigger language plpgsql as 'begin return new; end'`,
      ],
      [role, `copy log.events from program 'true'`],
      [role, "select pg_read_file('PG_VERSION')"],
    ]),
  ] as [DatabaseRole, string][])('%s can’t: %s', async (role, sql) => {
    // Logs in as the role, as in production, so that `reset role` does not return to the owner.
    const own = createPool((await useLogins(database.url, 'gatebook'))[role], { max: 1, name: 'test' });
    try {
      expect(await mayRun(own, sql)).toBe(false);
    } finally {
      await own.end();
    }
  });
});

describe('the log under roles', () => {
  const append = (id: string, position = 'none') => `select * from log.append(
    array[1], array['note-${id}'], array[-1::bigint], array[1], array['note-${id}'], array[0::bigint],
    array[gen_random_uuid()], array['Noted'], array[1::smallint], array['{"at":"${position}"}'::json], array[null::text],
    array['{"projectId":"p1"}'::json])`;

  test.each(['api', 'worker'] as const)('%s appends by the function alone', async (role) => {
    const id = randomBytes(6).toString('hex');
    const { rows } = await pools[role].query(append(id));
    expect(rows).toMatchObject([{ lost: [] }]);
    await expect(
      pools[role].query(
        `insert into log.events (position, stream, revision, id, type, version, data, metadata)
         values (99999, 'note-x', 0, gen_random_uuid(), 'Noted', 1, '{}', '{}')`,
      ),
    ).rejects.toThrow('permission denied');
    await expect(pools[role].query('update log.streams set revision = 0')).rejects.toThrow('permission denied');
    await expect(pools[role].query('select log.add_partition(7)')).rejects.toThrow('permission denied');
  });

  test('the projector can’t append', async () => {
    await expect(pools.projector.query(append('projector'))).rejects.toThrow('permission denied');
  });

  test('append does not use the search path of the caller', async () => {
    const client = await pools.api.connect();
    await client.query('begin; create temp table events (position bigint); set local search_path = pg_temp, log');
    const { rows } = await client.query(append(randomBytes(6).toString('hex')));
    await client.query('rollback');
    client.release();
    expect(rows).toMatchObject([{ lost: [] }]);
  });

  test('a key can be added and erased, but not replaced or restored', async () => {
    const id = randomBytes(6).toString('hex');
    await pools.api.query(`insert into keys.subjects (subject_id, wrapped) values ($1, 'wrapped')`, [id]);
    await expect(
      pools.api.query(`update keys.subjects set wrapped = 'other' where subject_id = $1`, [id]),
    ).rejects.toThrow('permission denied');
    await pools.worker.query('select keys.erase_subject($1)', [id]);
    const { rows } = await pools.api.query('select wrapped from keys.subjects where subject_id = $1', [id]);
    expect(rows).toEqual([{ wrapped: null }]);
    await expect(pools.projector.query('select keys.erase_subject($1)', [id])).rejects.toThrow('permission denied');
  });

  test('every security-definer function is granted explicitly and has a search path with only the catalog', async () => {
    const { rows } = await database.pool.query<{ signature: string; settings: string[] }>(
      `select oid::regprocedure::text as signature, proconfig as settings from pg_proc
       where prosecdef and pronamespace in (select oid from pg_namespace where nspname !~ '^(pg_|information_schema)')
       order by 1`,
    );
    const named = eventLogPrivileges.flatMap(({ schema, functions = {} }) =>
      Object.keys(functions).map((name) => `${schema}.${name}`.replaceAll(', ', ',')),
    );
    const searchPaths = rows.map(({ signature, settings }) => [
      signature,
      settings.filter((setting) => setting.startsWith('search_path=')),
    ]);
    expect(searchPaths).toEqual(named.sort().map((signature) => [signature, ['search_path=pg_catalog, pg_temp']]));
  });
});

describe('accounts', () => {
  test('an owner who is not a superuser can prepare the database, and processes without privileges to change it can start', async () => {
    const prefix = `t${randomBytes(4).toString('hex')}`;
    const owned = await testDatabase();
    const name = new URL(owned.url).pathname.slice(1);
    await owned.pool.query(
      `create role ${prefix}_owner login createrole password 'owner'; alter database ${name} owner to ${prefix}_owner;
       alter schema public owner to ${prefix}_owner`,
    );
    const ownerUrl = new URL(owned.url);
    ownerUrl.username = `${prefix}_owner`;
    ownerUrl.password = 'owner';
    try {
      await prepareDatabase(ownerUrl.href, { rolePrefix: prefix });
      const logins = await useLogins(ownerUrl.href, prefix);
      const worker = new URL(logins.worker);
      worker.searchParams.delete('options');
      // The login of a worker, which can also set the role of the projector.
      const urls = await prepareDatabase(worker.href, { rolePrefix: prefix });
      for (const [role, actsAs] of [
        ['worker', 'worker'],
        ['projector', 'projector'],
      ] as const) {
        const pool = createPool(urls[role], { max: 1, name: 'test' });
        const { rows } = await pool.query('select session_user as login, current_user as role');
        await pool.end();
        expect(rows).toEqual([{ login: `${prefix}_worker`, role: `${prefix}_${actsAs}` }]);
      }
      const asApi = createPool(urlAs(worker.href, roleNames(prefix).api), { max: 1, name: 'test' });
      await expect(asApi.query('select')).rejects.toThrow('permission denied to set role');
      await asApi.end();

      await owned.pool.query(`delete from log.migrations where file = 'privileges'`);
      await expect(prepareDatabase(worker.href, { rolePrefix: prefix })).rejects.toThrow('run "gatebook migrate"');
    } finally {
      await owned.close();
      const names = [...Object.values(roleNames(prefix)), `${prefix}_owner`];
      for (const role of names) await database.pool.query(`drop role if exists ${role}`);
    }
  });

  test('the error for an account that can’t create roles says what to do', async () => {
    const name = `t${randomBytes(4).toString('hex')}`;
    const poor = await testDatabase();
    await poor.pool.query(
      `create role ${name} login password 'poor'; alter database ${new URL(poor.url).pathname.slice(1)} owner to ${name}`,
    );
    const url = new URL(poor.url);
    url.username = name;
    url.password = 'poor';
    try {
      await expect(prepareDatabase(url.href, { rolePrefix: name })).rejects.toThrow('GATEBOOK_DATABASE_ROLES=off');
      const urls = await prepareDatabase(url.href, { rolePrefix: null });
      expect(urls).toEqual({ api: url.href, projector: url.href, worker: url.href });
    } finally {
      await poor.close();
      await database.pool.query(`drop role ${name}`);
    }
  });

  test('objects that existed before the roles are handed over', async () => {
    const old = await testDatabase();
    try {
      await prepareDatabase(old.url, { rolePrefix: null });
      const { schema } = await createProjectionVersion(old.pool, mainGroup);
      await prepareDatabase(old.url);
      const { rows } = await old.pool.query<{ owner: string }>(
        `select distinct pg_get_userbyid(relowner) as owner from pg_class
         where relnamespace in ($1::regnamespace, 'jobs'::regnamespace) order by 1`,
        [schema],
      );
      expect(rows.map(({ owner }) => owner)).toEqual(['gatebook_projector', 'gatebook_worker']);
    } finally {
      await old.close();
    }
  });
});
