import { describe, expect, test } from 'vitest';
import { lastMail } from '../testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from '../testing/people.ts';
import { contextOf, createWorld, expectRejection } from '../testing/world.ts';
import { createUser } from './create-user.ts';
import { deleteUser } from './delete-user.ts';
import { findUser } from './load-user.ts';
import { updateUser } from './update-user.ts';
import { sendPrimaryVerificationCode, sendVerificationCode, verifyEmail } from './verification.ts';

const ctx = contextOf('shop');
const email = 'Ann@example.com';

async function withAnn() {
  const world = await createWorld();
  const { deps } = world;
  const { userId } = await signUp(deps, ctx, { email, password: 'correct horse' });
  const channelId = (await findUser(deps, ctx, userId)).channels[0]?.id ?? '';
  const request = { userId, callbackUrl, project: testProject };
  const isVerified = async () => (await findUser(deps, ctx, userId)).channels[0]?.isVerified;
  return { ...world, userId, channelId, request, isVerified, code: async () => (await lastMail(world)).code };
}

test('the email of a sign-up verifies the address; each open code works once', async () => {
  const { deps, channelId, request, isVerified, code } = await withAnn();
  const first = await code();
  await sendVerificationCode(deps, ctx, { ...request, channelId });
  const second = await code();
  await verifyEmail(deps, ctx, { code: first });
  expect(await isVerified()).toBe(true);
  await verifyEmail(deps, ctx, { code: second });
  await expectRejection(verifyEmail(deps, ctx, { code: first }), 'VERIFICATION_CODE_ALREADY_USED');
});

test('a sign-up with an untrusted link succeeds without an email', async () => {
  const world = await createWorld();
  await signUp(world.deps, ctx, { email, password: 'correct horse', config: { allowLocalhost: false } });
  expect(await world.eventsOf('EmailRequested')).toEqual([]);
});

describe('requesting a verification email', () => {
  test('contains the name of the user if there is one', async () => {
    const { deps, userId, channelId, request, eventsOf } = await withAnn();
    expect((await lastMail({ eventsOf })).variables).not.toHaveProperty('userDisplayName');
    await updateUser(deps, ctx, { userId, project: testProject, displayName: 'Ann' });
    await sendVerificationCode(deps, ctx, { ...request, channelId });
    expect((await lastMail({ eventsOf })).variables).toMatchObject({ userDisplayName: 'Ann' });
  });

  test('is rejected for an unknown user or channel, a verified address and an untrusted link', async () => {
    const { deps, userId, channelId, request } = await withAnn();
    const send = (input: object) => sendVerificationCode(deps, ctx, { ...request, channelId, ...input });
    const nobody = deps.newId();
    await expectRejection(send({ userId: nobody }), 'USER_ID_DOES_NOT_EXIST', { user_id: nobody });
    await expectRejection(send({ channelId: deps.newId() }), 'EMAIL_CHANNEL_NOT_FOUND');
    await expectRejection(send({ callbackUrl: 'https://evil.org' }), 'REDIRECT_URL_NOT_WHITELISTED');
    await updateUser(deps, ctx, { userId, project: testProject, primaryEmailVerified: true });
    await expectRejection(send({ callbackUrl: 'https://evil.org' }), 'EMAIL_ALREADY_VERIFIED');
  });

  test('in the older form works only for the primary address', async () => {
    const { deps, request } = await withAnn();
    await sendPrimaryVerificationCode(deps, ctx, { ...request, email });
    const other = { email: 'other@example.com', primary_email: email };
    const wrong = sendPrimaryVerificationCode(deps, ctx, { ...request, email: other.email });
    await expectRejection(wrong, 'EMAIL_IS_NOT_PRIMARY_EMAIL', other);
    const { userId } = await createUser(deps, ctx, { project: testProject });
    const none = sendPrimaryVerificationCode(deps, ctx, { ...request, userId, email });
    await expectRejection(none, 'EMAIL_IS_NOT_PRIMARY_EMAIL', { email, primary_email: null });
  });
});

test('a verification code for a removed address or deleted user is rejected', async () => {
  const { deps, userId, isVerified, code } = await withAnn();
  const old = await code();
  await updateUser(deps, ctx, { userId, project: testProject, primaryEmail: 'new@example.com' });
  await expectRejection(verifyEmail(deps, ctx, { code: old }), 'VERIFICATION_CODE_NOT_FOUND');
  expect(await isVerified()).toBe(false);
  await deleteUser(deps, ctx, { userId });
  await expectRejection(verifyEmail(deps, ctx, { code: old }), 'VERIFICATION_CODE_NOT_FOUND');
});
