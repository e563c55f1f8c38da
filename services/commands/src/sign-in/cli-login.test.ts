import { expect, test } from 'vitest';
import { presentCode } from '../code/code.ts';
import { resetPassword, sendResetCode } from '../password/password-reset.ts';
import { endSession } from '../session/session.ts';
import { isSessionAlive } from '../testing/liveness.ts';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { completeCliLogin, pollCliLogin, startCliLogin } from './cli-login.ts';

const ctx = contextOf('shop');
const ann = { email: 'ann@example.com', password: 'correct horse' };
const lifeMs = 7_200_000;

async function withTool() {
  const world = await createWorld();
  const { deps } = world;
  const user = await signUp(deps, ctx, ann);
  const started = await startCliLogin(deps, ctx, { lifeMs });
  const poll = () => pollCliLogin(deps, ctx, { pollingCode: started.pollingCode });
  const { userId, sessionId } = user;
  const complete = (loginCode = started.loginCode) => completeCliLogin(deps, ctx, { loginCode, userId, sessionId });
  return { ...world, user, started, poll, complete };
}

test('a CLI login waits and then gets one session of its own', async () => {
  const { deps, user, started, poll, complete, eventsOf } = await withTool();
  expect(started.pollingCode).not.toBe(started.loginCode);
  expect(await poll()).toEqual({ status: 'waiting' });
  await complete();
  const polled = await poll();
  expect(polled).toMatchObject({ status: 'success', userId: user.userId });
  expect(polled).not.toMatchObject({ refreshToken: user.refreshToken });
  const session = (await eventsOf('SessionStarted')).at(-1)?.data;
  expect(session?.method).toBe('cli');
  expect(await isSessionAlive(deps, session?.sessionId ?? '')).toBe(true);
  expect(await poll()).toEqual({ status: 'used' });
});

test('of 50 concurrent polls, one gets the session', async () => {
  const { poll, complete, eventsOf } = await withTool();
  await complete();
  const polled = await Promise.all(Array.from({ length: 50 }, poll));
  expect(polled.filter(({ status }) => status === 'success')).toHaveLength(1);
  expect(polled.filter(({ status }) => status === 'used')).toHaveLength(49);
  expect((await eventsOf('SessionStarted')).filter(({ data }) => data.method === 'cli')).toHaveLength(1);
});

test('of 50 concurrent approvals, one succeeds', async () => {
  const { complete } = await withTool();
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => complete()));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a CLI login expires, approved or not, polled or not', async () => {
  const { clock, poll, complete } = await withTool();
  clock.advance(lifeMs);
  expect(await poll()).toEqual({ status: 'expired' });
  await expectRejection(complete(), 'CLI_LOGIN_CODE_INVALID');
  const other = await withTool();
  await other.complete();
  other.clock.advance(lifeMs);
  expect(await other.poll()).toEqual({ status: 'expired' });
});

test("CLI codes can't replace each other or other codes", async () => {
  const { deps, user, started, poll, complete } = await withTool();
  const pollWith = (pollingCode: string, of = ctx) => pollCliLogin(deps, of, { pollingCode });
  await expectRejection(pollWith(started.loginCode), 'INVALID_POLLING_CODE');
  await expectRejection(pollWith('unknown'), 'INVALID_POLLING_CODE');
  await expectRejection(pollWith(started.pollingCode, contextOf('bar')), 'INVALID_POLLING_CODE');
  await expectRejection(complete(started.pollingCode), 'CLI_LOGIN_CODE_INVALID');
  await expectRejection(complete('unknown'), 'CLI_LOGIN_CODE_INVALID');
  const elsewhere = completeCliLogin(deps, contextOf('bar'), { loginCode: started.loginCode, ...user });
  await expectRejection(elsewhere, 'CLI_LOGIN_OF_ANOTHER_PROJECT');
  await expectRejection(
    presentCode(deps, ctx, { code: started.loginCode, purpose: 'sign_in' }),
    'VERIFICATION_CODE_NOT_FOUND',
  );
  expect(await poll()).toEqual({ status: 'waiting' });
  await complete();
  await expectRejection(complete(), 'CLI_LOGIN_CODE_INVALID');
});

test('a session that ended a moment ago approves nothing', async () => {
  const { deps, user, poll, complete } = await withTool();
  await endSession(deps, ctx, { sessionId: user.sessionId, userId: user.userId, reason: 'sign_out' });
  await expectRejection(complete(), 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
  expect(await poll()).toEqual({ status: 'waiting' });
});

test('a password reset between approval and poll leaves no session alive', async () => {
  const { deps, poll, complete, eventsOf } = await withTool();
  await complete();
  await sendResetCode(deps, ctx, { email: ann.email, callbackUrl, project: testProject });
  const { code } = await lastMail({ eventsOf });
  await resetPassword(deps, ctx, { code, password: 'battery staple', project: testProject });
  await poll();
  const session = (await eventsOf('SessionStarted')).at(-1)?.data;
  expect(await isSessionAlive(deps, session?.sessionId ?? '')).toBe(false);
});
