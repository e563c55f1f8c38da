import { runAll } from '@gatebook/worker/user-batches/run-user-batches';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestOwner, type TestOwner } from '../testing/test-owner.ts';
import { exitCodes } from './cli-context.ts';

let { api, userId, asAdmin, run, close }: TestOwner = {} as TestOwner;
beforeAll(async () => {
  ({ api, userId, asAdmin, run, close } = await startTestOwner());
});
afterAll(() => close?.());

const runBatches = async () => {
  const { deps, pool } = api;
  await deps.readModels.reached(await deps.store.head());
  await runAll({ ...deps, write: deps, pool }, new AbortController().signal);
};
const unknown = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';

describe('gatebook user-batches', () => {
  test('previews a batch, starts it, and shows its progress and failures', async () => {
    const line = `user-batches start restrict --user ${userId} --user ${unknown}`;
    const preview = await run(`${line} --preview`);
    expect(preview).toMatchObject({ code: 0, errors: '' });
    expect(preview.output).toContain('2 users in total\nOf the first 2 users: 1 would change, 0 already as wanted\n');
    expect((await run(line)).code).toBe(exitCodes.notApproved);
    const started = (await run(`${line} --yes --json`)).lines().at(-1);
    expect(started).toMatchObject({ action: 'restrict', status: 'running', total: 2 });
    await runBatches();
    const { output } = await run(`user-batches show ${started.id}`);
    expect(output).toMatch(/restrict {2}completed {2}2 of 2 users, 1 failed\n {2}5d9c4f0e\S+: .+/);
    expect((await run('user-batches list')).output).toContain(started.id);
  });

  test('undoes a batch after a preview', async () => {
    const batch = (await run(`user-batches start restrict --user ${userId} --reason Spam --yes --json`)).lines().at(-1);
    await runBatches();
    const { output } = await run(`user-batches undo ${batch.id} --preview`);
    expect(output).toContain('1 user in total\nOf the first 1 user: 1 would change, 0 already as wanted\n');
    expect((await run(`user-batches undo ${batch.id}`)).code).toBe(exitCodes.notApproved);
    const undo = (await run(`user-batches undo ${batch.id} --yes --json`)).lines().at(-1);
    expect(undo).toMatchObject({ action: 'undo', undoes_batch_id: batch.id, total: 1 });
    await runBatches();
    expect((await run(`user-batches show ${undo.id}`)).output).toMatch(/undo {2}completed {2}1 of 1 user$/);
    expect((await run(`user-batches undo ${unknown} --yes`)).code).not.toBe(0);
  });

  test('selects by filters, and cancels', async () => {
    const { lines } = await run('user-batches start lift_restriction --filter restricted=true --yes --json');
    const { id, total } = lines().at(-1);
    expect(total).toBe(1);
    expect((await run(`user-batches cancel ${id}`)).output).toContain('canceled');
    await runBatches();
    expect((await asAdmin('GET', `/internal/user-batches/${id}`)).body).toMatchObject({ status: 'canceled', done: 0 });
  });

  test('needs one way to name the users', async () => {
    expect((await run('user-batches start delete --yes')).code).toBe(exitCodes.usage);
    expect((await run(`user-batches start delete --all --user ${userId} --yes`)).code).toBe(exitCodes.usage);
    expect((await run('user-batches start promote --all')).code).toBe(exitCodes.usage);
  });
});
