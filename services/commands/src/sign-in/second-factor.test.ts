import { DomainError } from '@gatebook/domain/errors';
import { describe, expect, test } from 'vitest';
import { signInWithPassword } from '../password/password.ts';
import { resetPassword, sendResetCode } from '../password/password-reset.ts';
import { createSession } from '../session/session.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { deleteUser } from '../user/delete-user.ts';
import { updateUser } from '../user/update-user.ts';
import { signInWithTotp } from './second-factor.ts';

const ctx = contextOf('shop');
const { config } = testProject;
const [email, password] = ['ann@example.com', 'correct horse'];

/** In this world a typed code names the step that it fits. */
async function withSecondFactor() {
  const world = await createWorld();
  const { deps } = world;
  const { userId } = await signUp(deps, ctx, { email, password });
  await updateUser(deps, ctx, { userId, project: testProject, totpSecret: 'c2VjcmV0' });
  const attempt = async () => {
    const error: unknown = await signInWithPassword(deps, ctx, { email, password, config }).catch((reason) => reason);
    if (!(error instanceof DomainError)) return expect.fail('no second factor was asked for');
    expect(error.code).toBe('MULTI_FACTOR_AUTHENTICATION_REQUIRED');
    return String(error.details.attempt_code);
  };
  const finish = (attemptCode: string, totp: string) => signInWithTotp(deps, ctx, { attemptCode, totp });
  return { ...world, userId, attempt, finish };
}

describe('a sign-in with a second factor', () => {
  test('starts no session before the second factor', async () => {
    const { deps, userId, attempt, finish, eventsOf } = await withSecondFactor();
    const code = await attempt();
    expect(await eventsOf('SessionStarted')).toHaveLength(1);
    const signedIn = await finish(code, '000100');
    expect(signedIn).toMatchObject({ userId, isNewUser: false });
    expect(await isSessionAlive(deps, signedIn.sessionId)).toBe(true);
    expect((await eventsOf('SessionStarted')).at(-1)?.data.method).toBe('password');
  });

  test('keeps the attempt open after a wrong code, for 20 tries and five minutes', async () => {
    const { clock, attempt, finish } = await withSecondFactor();
    const code = await attempt();
    for (let nth = 0; nth < 19; nth += 1) await expectRejection(finish(code, 'wrong'), 'INVALID_TOTP_CODE');
    await finish(code, '000100');
    await expectRejection(finish(code, '000101'), 'VERIFICATION_CODE_ALREADY_USED');
    const second = await attempt();
    for (let nth = 0; nth < 20; nth += 1) await expectRejection(finish(second, 'wrong'), 'INVALID_TOTP_CODE');
    await expectRejection(finish(second, '000102'), 'VERIFICATION_CODE_MAX_ATTEMPTS_REACHED');
    const third = await attempt();
    clock.advance(5 * 60_000);
    await expectRejection(finish(third, '000103'), 'VERIFICATION_CODE_EXPIRED');
  });

  test('counts wrong codes over all attempts of a user', async () => {
    const { clock, attempt, finish, eventsOf } = await withSecondFactor();
    for (const code of [await attempt(), await attempt()]) {
      for (let nth = 0; nth < 20; nth += 1) await expectRejection(finish(code, 'wrong'), 'INVALID_TOTP_CODE');
    }
    const third = await attempt();
    await expectRejection(finish(third, '000100'), 'INVALID_TOTP_CODE');
    expect(await eventsOf('TotpRejected')).toHaveLength(40);
    clock.advance(60 * 60_000);
    expect((await finish(await attempt(), '000100')).isNewUser).toBe(false);
  });

  test('accepts a time step once across all attempts', async () => {
    const { attempt, finish } = await withSecondFactor();
    const [one, other] = [await attempt(), await attempt()];
    await finish(one, '000100');
    await expectRejection(finish(other, '000100'), 'INVALID_TOTP_CODE');
    await finish(other, '000101');
  });

  test('accepts one of 50 concurrent uses of a code', async () => {
    const { attempt, finish, eventsOf } = await withSecondFactor();
    const codes = await Promise.all(Array.from({ length: 10 }, attempt));
    const tries = codes.flatMap((code) => Array.from({ length: 5 }, () => finish(code, '000100')));
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await eventsOf('TotpUsed')).toHaveLength(1);
  });

  test('is rejected when the factor was turned off or the user deleted in between', async () => {
    const { deps, userId, attempt, finish } = await withSecondFactor();
    const [one, other] = [await attempt(), await attempt()];
    await updateUser(deps, ctx, { userId, project: testProject, totpSecret: null });
    await expectRejection(finish(one, '000100'), 'VERIFICATION_CODE_NOT_FOUND');
    await deleteUser(deps, ctx, { userId });
    await expectRejection(finish(other, '000100'), 'VERIFICATION_CODE_NOT_FOUND');
  });

  test('starts no live session when the password was reset after the first factor', async () => {
    const { deps, userId, attempt, finish, eventsOf } = await withSecondFactor();
    await updateUser(deps, ctx, { userId, project: testProject, primaryEmailVerified: true });
    const code = await attempt();
    await sendResetCode(deps, ctx, { email, callbackUrl, project: testProject });
    await resetPassword(deps, ctx, { code: (await lastMail({ eventsOf })).code, password, project: testProject });
    const signedIn = await finish(code, '000100');
    expect(await isSessionAlive(deps, signedIn.sessionId)).toBe(false);
    expect(await attempt()).toHaveLength(45);
  });

  test('is not required when a server starts a session', async () => {
    const { deps, userId } = await withSecondFactor();
    expect((await createSession(deps, ctx, { userId })).sessionId).toBeTruthy();
  });
});
