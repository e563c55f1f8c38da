import { codeDecider } from '@gatebook/domain/code/decide';
import { describe, expect, test } from 'vitest';
import type { WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { issueCode, presentCode, useCode } from './code.ts';

const ctx = contextOf('shop');
const purpose = 'password_reset';
const lifeMs = 60_000;

async function withCode() {
  const world = await createWorld();
  const recipient = { recipient: 'ann@example.com', callbackUrl: 'https://shop.example/reset' };
  const issued = await issueCode(world.deps, ctx, { purpose, lifeMs, ...recipient, payload: { user_id: 'u' } });
  return { ...world, ...issued, present: (code: string) => presentCode(world.deps, ctx, { code, purpose }) };
}

/** What a use case does: it presents the code, then uses it in its own append. */
async function redeem(deps: WriteDeps, code: string): Promise<void> {
  const presented = await presentCode(deps, ctx, { code, purpose });
  await transact(deps, ctx, (work) => useCode(work, presented));
}

/** Revokes a code in its own unit of work, as the application does. */
async function revoke(deps: WriteDeps, codeId: string): Promise<void> {
  await transact(deps, ctx, async (work) => {
    (await work.load(codeDecider, streamOf.code(codeId))).decide({ type: 'RevokeCode', at: deps.now() });
  });
}

describe('a one-time code', () => {
  test('is stored as a hash with an encrypted recipient', async () => {
    const { deps, code, codeId, eventsOf } = await withCode();
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{45}$/);
    const [event] = await eventsOf('CodeIssued');
    expect(event?.data).toMatchObject({
      codeId,
      projectId: 'shop',
      purpose,
      codeHash: deps.sha256(code),
      recipient: 'ann@example.com',
      callbackUrl: 'https://shop.example/reset',
      expiresAt: '2026-01-15T12:01:00.000Z',
    });
    expect(JSON.stringify([event?.data, event?.stream])).not.toContain(code.slice(6));
    await deps.eraseSubject(event?.data.subjectId ?? '');
    expect((await eventsOf('CodeIssued'))[0]?.data).toMatchObject({ recipient: null, callbackUrl: null });
  });

  test('for a known user is encrypted under the key of the user', async () => {
    const { deps, eventsOf } = await createWorld();
    const subjectId = deps.newId();
    await issueCode(deps, ctx, { purpose, lifeMs, subjectId, recipient: 'ann@example.com' });
    await deps.eraseSubject(subjectId);
    expect((await eventsOf('CodeIssued'))[0]?.data.recipient).toBeNull();
  });

  test('can be checked repeatedly, in any letter case, and used once', async () => {
    const { deps, code, present, eventsOf } = await withCode();
    expect((await present(code)).issued).toMatchObject({ recipient: 'ann@example.com', payload: { user_id: 'u' } });
    await present(code.toUpperCase());
    await redeem(deps, code);
    await expectRejection(redeem(deps, code), 'VERIFICATION_CODE_ALREADY_USED');
    await expectRejection(present(code), 'VERIFICATION_CODE_ALREADY_USED');
    expect(await eventsOf('CodeAttempted')).toHaveLength(5);
  });

  test('works on its 20th presentation, not on its 21st', async () => {
    const { deps, code, present } = await withCode();
    const wrong = `${code.startsWith('000000') ? '111111' : '000000'}${code.slice(6)}`;
    for (let nth = 1; nth <= 19; nth += 1) await expectRejection(present(wrong), 'VERIFICATION_CODE_NOT_FOUND');
    await present(code);
    await expectRejection(redeem(deps, code), 'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED');
    await expectRejection(present(wrong), 'VERIFICATION_CODE_NOT_FOUND');
  });

  test('appends at most 20 events, however often it is presented', async () => {
    const { code, present, eventsOf } = await withCode();
    for (let nth = 1; nth <= 30; nth += 1) await present(code).catch(() => undefined);
    expect(await eventsOf('CodeAttempted')).toHaveLength(20);
  });

  test('is unknown for another purpose or project; the former counts', async () => {
    const { deps, code, eventsOf } = await withCode();
    await expectRejection(presentCode(deps, ctx, { code, purpose: 'sign_in' }), 'VERIFICATION_CODE_NOT_FOUND');
    expect(await eventsOf('CodeAttempted')).toHaveLength(1);
    await expectRejection(presentCode(deps, contextOf('bar'), { code, purpose }), 'VERIFICATION_CODE_NOT_FOUND');
    expect(await eventsOf('CodeAttempted')).toHaveLength(1);
  });

  test('appends nothing when it is unknown', async () => {
    const { deps, present } = await withCode();
    await expectRejection(present(deps.randomCode()), 'VERIFICATION_CODE_NOT_FOUND');
    expect(await deps.store.head()).toBe(1n);
  });

  test('expires', async () => {
    const { clock, code, present } = await withCode();
    clock.advance(lifeMs - 1);
    await present(code);
    clock.advance(1);
    await expectRejection(present(code), 'VERIFICATION_CODE_EXPIRED');
  });

  test('presented before expiry can be used shortly after', async () => {
    const { deps, clock, code, present } = await withCode();
    clock.advance(lifeMs - 1);
    const presented = await present(code);
    clock.advance(5);
    await transact(deps, ctx, (work) => useCode(work, presented));
    await expectRejection(present(code), 'VERIFICATION_CODE_EXPIRED');
  });

  test('is unknown once revoked', async () => {
    const { deps, code, codeId, present } = await withCode();
    await present(code);
    await revoke(deps, codeId);
    await expectRejection(present(code), 'VERIFICATION_CODE_NOT_FOUND');
  });

  test("can't be used when revoked after its presentation", async () => {
    const { deps, code, codeId, present } = await withCode();
    const presented = await present(code);
    await revoke(deps, codeId);
    const use = transact(deps, ctx, (work) => useCode(work, presented));
    await expectRejection(use, 'VERIFICATION_CODE_NOT_FOUND');
  });
});
