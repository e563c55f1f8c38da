import { randomUUID } from 'node:crypto';
import { catalog } from '@gatebook/domain/catalog';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createMemoryBlobStore } from '@gatebook/eventlog/large-values/blob-store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { listQuarantined } from '@gatebook/projections/quarantine/quarantine';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { newEventId } from '@gatebook/runtime/ids';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';

let operator: TestOperator;
beforeEach(async () => {
  operator = await openTestOperator();
});
afterEach(() => operator.close());

/** A user whose key no process of the test has cached, in project `shop`. */
async function recordUser(userId: string): Promise<void> {
  const { accountPool: pool, listener, keys } = operator;
  const keyring = await createKeyring({ masterKey: keys.master, keyStore: createPostgresKeyStore(pool, listener) });
  const codec = createCodec({ catalog, keyring, blobs: createMemoryBlobStore(), newEventId });
  const store = await createPostgresEventStore({ pool, listener, codec });
  const record = createRecord(store, { ...testMetadata, projectId: 'shop' });
  await record(`user-${userId}`, {
    type: 'UserCreated',
    data: {
      ...{ userId, projectId: 'shop', displayName: 'Ann', profileImageUrl: null, isAnonymous: false, method: 'server' },
      ...{ clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null, at },
    },
  });
  await store.close();
  await keyring.close();
}

test('a lost key is found by doctor, and its project continues once the subject is declared lost', async () => {
  const { run, accountPool, pool } = operator;
  const [ann, bob] = [randomUUID(), randomUUID()];
  await recordUser(ann);
  await recordUser(bob);
  expect((await run('doctor')).output).toMatch(/ok +subject keys +none is lost among 2 events/);
  await accountPool.query('delete from keys.subjects where subject_id = $1', [ann]);
  await operator.startServer();
  await expect.poll(async () => (await listQuarantined(pool)).map(({ projectId }) => projectId)).toEqual(['shop']);

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
