import { randomBytes } from 'node:crypto';
import { roleNames } from '@gatebook/runtime/database-roles';
import { createPool } from '@gatebook/runtime/postgres';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { expect, test } from 'vitest';
import { runLine } from '../testing/run-line.ts';

test('migrate prepares a database, lets roles log in, and reports an up-to-date database to such a role', async () => {
  const database = await testDatabase();
  const prefix = `t${randomBytes(4).toString('hex')}`;
  const names = roleNames(prefix);
  const password = 'a password of the worker';
  const env = { GATEBOOK_DATABASE_URL: database.url, GATEBOOK_DATABASE_ROLES: prefix };
  try {
    const first = await runLine('migrate --json', { env: { ...env, GATEBOOK_DATABASE_WORKER_PASSWORD: password } });
    expect([first.code, first.lines()]).toEqual([0, [{ roles: Object.values(names), logins: [names.worker] }]]);

    const url = new URL(database.url);
    url.username = names.worker;
    url.password = password;
    const pool = createPool(url.href, { max: 1, name: 'test' });
    expect((await pool.query('select current_user as role')).rows).toEqual([{ role: names.worker }]);
    await pool.end();
    const again = await runLine('migrate', { env: { ...env, GATEBOOK_DATABASE_URL: url.href } });
    expect([again.code, again.output]).toEqual([0, 'Schemas, roles and privileges are up to date.']);

    await database.pool.query(`delete from worker.migrations`);
    const rejected = await runLine('migrate', { env: { ...env, GATEBOOK_DATABASE_URL: url.href } });
    expect(rejected.code).toBe(1);
    expect(rejected.errors).toContain('run "gatebook migrate" with the GATEBOOK_DATABASE_URL of its owner');
  } finally {
    await database.close();
    const other = await testDatabase();
    for (const name of [names.worker, names.projector, names.api])
      await other.pool.query(`drop role if exists ${name}`);
    await other.close();
  }
});

test('migrate rejects passwords for roles when roles are off', async () => {
  const env = {
    GATEBOOK_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    GATEBOOK_DATABASE_ROLES: 'off',
    GATEBOOK_DATABASE_WORKER_PASSWORD: 'a password of the worker',
  };
  const { code, errors } = await runLine('migrate', { env });
  expect([code, errors]).toEqual([
    2,
    'gatebook: GATEBOOK_DATABASE_ROLES is off, so there are no roles to set passwords for.',
  ]);
});
