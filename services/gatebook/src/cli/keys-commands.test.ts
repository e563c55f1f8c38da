import { randomBytes, randomUUID } from 'node:crypto';
import { createSigningKeys } from '@gatebook/eventlog/encryption/signing-keys';
import { createPostgresSigningKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { systemClock } from '@gatebook/runtime/clock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestOperator, type TestOperator } from '../testing/test-operator.ts';

let operator: TestOperator;
beforeEach(async () => {
  operator = await openTestOperator();
});
afterEach(() => operator.close());

const run = (line: string, env: Record<string, string> = {}) => operator.run(line, { env });
const projectId = randomUUID();
async function currentKid(): Promise<string> {
  const { keys, accountPool: pool, listener } = operator;
  const store = createPostgresSigningKeyStore(pool, listener);
  return (await createSigningKeys({ masterKey: keys.master, store, now: systemClock }).current(projectId)).kid;
}

describe('signing keys', () => {
  test('can be listed, rotated and withdrawn', async () => {
    expect((await run('keys list')).output).toContain('no signing keys yet');
    const first = await currentKid();
    expect((await run('keys rotate signing')).output).toContain('for 1 project.');
    const [rows] = (await run('keys list --json')).lines();
    expect(rows.map(({ kid }: { kid: string }) => kid)).toEqual([expect.any(String), first]);
    expect((await run('keys list')).output).toMatch(/signs soon[\s\S]*signs$/);
    const withdrawn = await run(`keys withdraw ${first}`);
    expect(withdrawn.output).toContain('now rejected');
    const { output } = await run(`keys list --project ${projectId}`);
    expect(output).toContain('withdrawn');
    expect(withdrawn.output).toContain(`${await currentKid()} signs instead`);
  });

  test('an unknown key or project is an error', async () => {
    expect(await run('keys withdraw nobody-knows')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('There is no signing key nobody-knows'),
    });
    expect(await run('keys rotate signing --project nobody')).toMatchObject({ code: 1 });
  });
});

describe('the master key', () => {
  test('the master key is not rotated without a second one in the settings; the output explains what to do', async () => {
    const { code, output } = await run('keys rotate master --settle 0');
    expect(code).toBe(0);
    expect(output).toContain('GATEBOOK_FORMER_MASTER_KEYS');
  });

  test('doctor notes that keys are still wrapped by a former master key', async () => {
    const [current] = await operator.masterKey();
    const env = {
      GATEBOOK_MASTER_KEY: randomBytes(32).toString('base64'),
      GATEBOOK_FORMER_MASTER_KEYS: current?.toString('base64') ?? '',
    };
    await currentKid();
    const found = async () =>
      (await run('doctor --json', env)).lines()[0].checks.find(({ name }: { name: string }) => name === 'master key');
    expect(await found()).toMatchObject({ state: 'note', advice: 'run gatebook keys rotate master' });
    expect((await run('keys rotate master --settle 0', env)).output).toContain('Remove GATEBOOK_FORMER_MASTER_KEYS');
    expect(await found()).toMatchObject({ state: 'ok' });
  });

  test('only one rotation of the master key runs at a time', async () => {
    const client = await operator.accountPool.connect();
    await client.query("select pg_advisory_lock(hashtext('gatebook master key rotation'))");
    expect(await run('keys rotate master')).toMatchObject({
      code: 1,
      errors: expect.stringContaining('Another rotation'),
    });
    client.release(true);
  });
});
