import { randomUUID } from 'node:crypto';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { listQuarantined } from '@gatebook/projections/quarantine/quarantine';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';
import { recordUncachedUser } from '../testing/uncached-user.ts';

let operator: TestOperator;
beforeEach(async () => {
  operator = await openTestOperator();
});
afterEach(() => operator.close());

test('a lost key is found by doctor, and its project continues once the subject is declared lost', async () => {
  const { run, accountPool, pool } = operator;
  const [ann, bob] = [randomUUID(), randomUUID()];
  await recordUncachedUser(operator, ann);
  await recordUncachedUser(operator, bob);
  expect((await run('doctor')).output).toMatch(/ok +subject keys +none is lost among 2 events/);
  await accountPool.query('delete from keys.subjects where subject_id = $1', [ann]);
  await operator.startServer();
  const quarantined = async () =>
    (await listQuarantined(pool)).map(({ projectId, subscriber }) => `${projectId} ${subscriber.split('_')[0]}`);
  await expect.poll(async () => (await quarantined()).sort()).toEqual(['shop main', 'shop metrics', 'shop past']);

  for (const line of ['doctor', 'doctor --complete'])
    expect((await run(line)).output).toContain(
      `1 of 2 events can't be decrypted, because keys are lost; subjects: ${ann}`,
    );
  const { output } = await run('projections list');
  expect(output).toMatch(new RegExp(`shop +main_g\\d+ +1 .*the key of subject ${ann} of project shop is lost`));
  const failed = await run('projections release shop');
  expect(failed).toMatchObject({ code: 5, errors: expect.stringContaining('still quarantined') });
  expect(failed.output).toContain('is lost');

  expect(await run(`keys declare-lost ${bob} --yes`)).toMatchObject({
    code: 2,
    errors: expect.stringContaining('is not lost'),
  });
  expect(await run(`keys declare-lost ${ann}`)).toMatchObject({ code: 4 });
  const declared = await run(`keys declare-lost ${ann} --yes`);
  expect(declared.code).toBe(0);
  expect(declared.output).toMatch(new RegExp(`${ann} +shop +UserCreated +1`));
  await expect.poll(() => listQuarantined(pool)).toEqual([]);
  const live = (await listProjectionVersions(pool, 'main')).find(({ status }) => status === 'live');
  const { rows } = await pool.query(`select display_name from ${live?.schema}.users order by display_name`);
  expect(rows).toEqual([{ display_name: 'Ann' }, { display_name: null }]);
  expect(await run('projections release shop')).toMatchObject({ code: 2 });
  expect(await run(`keys declare-lost ${ann} --yes`)).toMatchObject({ code: 2 });
});
