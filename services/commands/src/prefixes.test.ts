import { describe, expect, test } from 'vitest';
import { createApiKey, revokeLeakedApiKey } from './api-key/api-key.ts';
import { signInWithPassword } from './password/password.ts';
import { resetPassword, sendResetCode } from './password/password-reset.ts';
import { grantTeamPermission } from './permission/grants.ts';
import { completeOwnerSetup, issueOwnerSetup } from './project/owner-setup.ts';
import { findActiveProject } from './project/project.ts';
import { seedInternalProject } from './project/seed.ts';
import { completeCliLogin, pollCliLogin, startCliLogin } from './sign-in/cli-login.ts';
import { registerPasskey, signInWithPasskey, startPasskeyRegistration, startPasskeySignIn } from './sign-in/passkey.ts';
import { signInWithTotp } from './sign-in/second-factor.ts';
import { sendSignInCode, signInWithCode } from './sign-in/sign-in-code.ts';
import { addTeamMember, createTeam, removeTeamMember } from './team/team.ts';
import { acceptInvitation, inviteToTeam } from './team/team-invitation.ts';
import { lastMail } from './testing/mailbox.ts';
import { callbackUrl, signUp, testProject } from './testing/people.ts';
import { withTeam } from './testing/teams.ts';
import { contextOf, crashBefore, createWorld, expectRejection, interruptBefore, to } from './testing/world.ts';
import { addContactChannel } from './user/contact-channel.ts';
import { createUser } from './user/create-user.ts';
import { deleteUser } from './user/delete-user.ts';
import { findUser } from './user/load-user.ts';
import { updateUser } from './user/update-user.ts';
import { sendVerificationCode, verifyEmail } from './user/verification.ts';

// A log may keep only the first writes of an append: when the process dies, or when another takes a later stream in
// between (docs/decisions/0014). What crash.test.ts shows of sign-ups, moves and deletions is shown here of the other
// commands.

const ctx = contextOf('shop');
const project = testProject;
const { config } = project;
const [email, password] = ['ann@example.com', 'correct horse'];
const newPassword = 'battery staple';
const died = 'the process died';

async function withAnn() {
  const world = await createWorld();
  const { userId } = await signUp(world.deps, ctx, { email, password });
  const rename = () => updateUser(world.deps, ctx, { userId, project, displayName: 'Ann' });
  const signsInWith = async (text: string) =>
    (await signInWithPassword(world.deps, ctx, { email, password: text, config })).userId;
  const resetCode = async () => {
    await sendResetCode(world.deps, ctx, { email, callbackUrl, project });
    return (await lastMail(world)).code;
  };
  const passkey = (credentialId: string) =>
    ({ credentialId, publicKey: 'key', counter: 1, transports: [], deviceType: 'singleDevice' }) as const;
  const register = async (credentialId: string, deps = world.deps) => {
    const { code } = await startPasskeyRegistration(world.deps, ctx, { userId, challenge: 'challenge', config });
    return registerPasskey(deps, ctx, { userId, code, credential: passkey(credentialId), config });
  };
  const assert = async (credentialId: string, counter: number, deps = world.deps) => {
    const { code } = await startPasskeySignIn(world.deps, ctx, { challenge: 'challenge', config });
    return signInWithPasskey(deps, ctx, { code, response: { credentialId, counter }, config });
  };
  return { ...world, userId, rename, signsInWith, resetCode, register, assert };
}

describe('an interrupted append of', () => {
  test('a reset before the user keeps the password; another code resets it', async () => {
    const { deps, userId, signsInWith, resetCode } = await withAnn();
    const code = await resetCode();
    const cut = resetPassword(crashBefore(to('user'), deps), ctx, { code, password: newPassword, project });
    await expect(cut).rejects.toThrow(died);
    expect(await signsInWith(password)).toBe(userId);
    const again = resetPassword(deps, ctx, { code, password: newPassword, project });
    await expectRejection(again, 'VERIFICATION_CODE_ALREADY_USED');
    await resetPassword(deps, ctx, { code: await resetCode(), password: newPassword, project });
    expect(await signsInWith(newPassword)).toBe(userId);
  });

  test('an email before its request leaves a code that nobody has', async () => {
    const { deps, eventsOf, resetCode } = await withAnn();
    const cut = sendResetCode(crashBefore(to('email'), deps), ctx, { email, callbackUrl, project });
    const before = (await eventsOf('EmailRequested')).length;
    await expect(cut).rejects.toThrow(died);
    expect(await eventsOf('EmailRequested')).toHaveLength(before);
    await resetPassword(deps, ctx, { code: await resetCode(), password: newPassword, project });
  });

  test('a verification before the user keeps the address unverified; another code verifies it', async () => {
    const { deps, userId, eventsOf } = await withAnn();
    const [channel] = (await findUser(deps, ctx, userId)).channels;
    const ask = async () => {
      await sendVerificationCode(deps, ctx, { project, userId, callbackUrl, channelId: channel?.id ?? '' });
      return (await lastMail({ eventsOf })).code;
    };
    await expect(verifyEmail(crashBefore(to('user'), deps), ctx, { code: await ask() })).rejects.toThrow(died);
    expect((await findUser(deps, ctx, userId)).channels[0]?.isVerified).toBe(false);
    await verifyEmail(deps, ctx, { code: await ask() });
    expect((await findUser(deps, ctx, userId)).channels[0]?.isVerified).toBe(true);
  });

  test.each([
    ['reservation', 0],
    ['user', 60_000],
    ['session', 0],
  ])('a sign-up by code before the %s lets the address in with another code after %i ms', async (category, waitMs) => {
    const { deps, clock, eventsOf } = await createWorld();
    const redeem = async (by = deps) => {
      const { nonce } = await sendSignInCode(deps, ctx, { email, callbackUrl, project });
      const otp = (await lastMail({ eventsOf })).variables?.otp ?? '';
      return signInWithCode(by, ctx, { code: `${otp}${nonce}`, project, anonymousUserId: null });
    };
    await expect(redeem(crashBefore(to(category), deps))).rejects.toThrow(died);
    clock.advance(waitMs);
    const { userId } = await redeem();
    expect((await eventsOf('UserCreated')).map(({ data }) => data.userId)).toEqual([userId]);
  });

  test.each(['reservation', 'user'])(
    'a passkey’s registration before the %s lets it be registered anew',
    async (category) => {
      const { deps, userId, register, assert } = await withAnn();
      await expect(register('first', crashBefore(to(category), deps))).rejects.toThrow(died);
      const unknown = { message: 'This passkey is not registered.' };
      await expectRejection(assert('first', 2), 'PASSKEY_AUTHENTICATION_FAILED', unknown);
      await register('first');
      expect((await assert('first', 2)).userId).toBe(userId);
    },
  );

  test.each(['user', 'session'])(
    'a sign-in by passkey before the %s is done again with another challenge',
    async (category) => {
      const { deps, userId, register, assert } = await withAnn();
      await register('first');
      await expect(assert('first', 2, crashBefore(to(category), deps))).rejects.toThrow(died);
      expect((await assert('first', 3)).userId).toBe(userId);
    },
  );

  test.each(['code', 'session'])('a second factor before the %s is given again', async (category) => {
    const { deps, userId } = await withAnn();
    await updateUser(deps, ctx, { userId, project, totpSecret: 'c2VjcmV0' });
    const attempt = async () => {
      const rejected = await signInWithPassword(deps, ctx, { email, password, config }).catch((error) => error);
      return String(rejected.details.attempt_code);
    };
    const attemptCode = await attempt();
    // The presentation of the code is an append before.
    let appends = 0;
    const dying = crashBefore(to(category), deps);
    const store = {
      ...deps.store,
      append: (...call: Parameters<typeof deps.store.append>) => {
        appends += 1;
        return (appends === 1 ? deps : dying).store.append(...call);
      },
    };
    await expect(signInWithTotp({ ...deps, store }, ctx, { attemptCode, totp: '000100' })).rejects.toThrow(died);
    const next = category === 'code' ? attemptCode : await attempt();
    expect((await signInWithTotp(deps, ctx, { attemptCode: next, totp: '000101' })).userId).toBe(userId);
  });

  test('a CLI login before its session has to start again', async () => {
    const { deps, userId } = await withAnn();
    const { sessionId } = await signInWithPassword(deps, ctx, { email, password, config });
    const begin = async () => {
      const { loginCode, pollingCode } = await startCliLogin(deps, ctx, { lifeMs: 60_000 });
      await completeCliLogin(deps, ctx, { loginCode, userId, sessionId });
      return pollingCode;
    };
    const pollingCode = await begin();
    await expect(pollCliLogin(crashBefore(to('session'), deps), ctx, { pollingCode })).rejects.toThrow(died);
    expect(await pollCliLogin(deps, ctx, { pollingCode })).toEqual({ status: 'used' });
    expect(await pollCliLogin(deps, ctx, { pollingCode: await begin() })).toMatchObject({ status: 'success', userId });
  });

  test.each([
    ['project', 0],
    ['reservation', 60_000],
    ['user', 60_000],
  ])(
    'the first owner’s set-up before the %s leaves nobody, and is done with another link',
    async (category, waitMs) => {
      const { deps, clock, eventsOf } = await createWorld();
      const internal = contextOf('internal');
      const keys = { publishableClientKey: 'pck_one', secretServerKey: null, superSecretAdminKey: null };
      await seedInternalProject(deps, { keys, isSignUpOpen: false, dashboardUrl: 'http://localhost:8102' });
      const complete = async (by = deps) => {
        const { token } = (await issueOwnerSetup(deps)) ?? expect.fail('there is an owner');
        return completeOwnerSetup(by, internal, { token, email, password, displayName: null });
      };
      await expect(complete(crashBefore(to(category), deps))).rejects.toThrow(died);
      expect(await eventsOf('UserCreated')).toEqual([]);
      clock.advance(waitMs);
      const { userId } = await complete();
      expect([...((await findActiveProject(deps, 'internal'))?.owners.keys() ?? [])]).toEqual([userId]);
      expect(await issueOwnerSetup(deps)).toBeNull();
    },
  );

  test('a team before its creator leaves an empty team', async () => {
    const { deps, userId, eventsOf } = await withAnn();
    const create = (by = deps) => createTeam(by, ctx, { displayName: 'Crew', creatorId: userId, project });
    await expect(create(crashBefore(to('membership'), deps))).rejects.toThrow(died);
    const { team } = await create();
    expect((await eventsOf('TeamMemberAdded')).map(({ data }) => data.teamId)).toEqual([team.teamId]);
  });

  test('an invitation before the membership is used up; the user can be invited again', async () => {
    const world = await withTeam();
    const { deps, teamId, newUser } = world;
    const userId = await newUser();
    const accept = async (by = deps) => {
      await inviteToTeam(deps, world.ctx, { teamId, email, callbackUrl, by: null, project });
      return acceptInvitation(by, world.ctx, { code: (await lastMail(world)).code, userId, project });
    };
    await expect(accept(crashBefore(to('membership'), deps))).rejects.toThrow(died);
    const remove = () => removeTeamMember(deps, world.ctx, { teamId, userId, by: null });
    await expectRejection(remove(), 'TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: userId });
    await accept();
    await remove();
  });

  test('a removal after the permission was used leaves the member and can be repeated', async () => {
    const { deps, ctx: shop, teamId, creatorId, newUser } = await withTeam();
    const userId = await newUser();
    await addTeamMember(deps, shop, { teamId, userId, project });
    const remove = (by = deps) => removeTeamMember(by, shop, { teamId, userId, by: creatorId });
    await expect(remove(crashBefore(to(`membership-${teamId}.${userId}`), deps))).rejects.toThrow(died);
    await remove();
  });

  test('a leaked key before its emails is revoked', async () => {
    const { deps, ctx: shop, creatorId: ownerId, eventsOf } = await withTeam();
    const plain = { description: 'laptop', expiresAt: null, isPublic: false };
    const { key } = await createApiKey(deps, shop, { ownerType: 'user', ownerId, by: ownerId, ...plain });
    const leak = { keyId: key.keyId, projectDisplayName: 'Shop', concerned: [{ userId: ownerId, email }] };
    await expect(revokeLeakedApiKey(crashBefore(to('email'), deps), shop, leak)).rejects.toThrow(died);
    expect(await eventsOf('ApiKeyRevoked')).toHaveLength(1);
  });

  test('a write with an idempotency key before its decision is repeated', async () => {
    const { deps, userId, eventsOf } = await withAnn();
    const asked = (requestId: string) => ({ ...ctx, requestId, idempotencyHash: 'hash-of-key' });
    const rename = (requestId: string, by = deps) =>
      updateUser(by, asked(requestId), { userId, project, displayName: requestId });
    await expect(rename('first', crashBefore(to('request'), deps))).rejects.toThrow(died);
    await rename('second');
    expect((await eventsOf('UserRenamed')).map(({ data }) => data.displayName)).toEqual(['first', 'second']);
    await expectRejection(rename('third'), 'RESPONSE_LOST');
  });
});

describe('a conflict in the middle', () => {
  test('of a reset is decided again with the same code, which is used once', async () => {
    const { deps, userId, rename, signsInWith, resetCode, eventsOf } = await withAnn();
    const code = await resetCode();
    await resetPassword(interruptBefore(to('user'), deps, rename), ctx, { code, password: newPassword, project });
    expect(await signsInWith(newPassword)).toBe(userId);
    expect(await eventsOf('CodeUsed')).toHaveLength(1);
    expect((await findUser(deps, ctx, userId)).displayName).toBe('Ann');
  });

  test('of a passkey sign-in starts one session', async () => {
    const { deps, userId, rename, register, assert, eventsOf } = await withAnn();
    await register('first');
    const before = (await eventsOf('SessionStarted')).length;
    expect((await assert('first', 2, interruptBefore(to('user'), deps, rename))).userId).toBe(userId);
    expect(await eventsOf('SessionStarted')).toHaveLength(before + 1);
  });

  test('of a change of address reserves it again and adds it once', async () => {
    const { deps, userId, rename, eventsOf } = await withAnn();
    const other = { userId, value: 'new@example.com', usedForAuth: true };
    await addContactChannel(interruptBefore(to('user'), deps, rename), ctx, other);
    expect((await findUser(deps, ctx, userId)).channels.map(({ value }) => value)).toEqual([email, other.value]);
    expect(await eventsOf('ValueReserved')).toHaveLength(3);
  });

  test('of a deletion with a new user of the address deletes and leaves the address', async () => {
    const { deps, userId, eventsOf } = await withAnn();
    let second = '';
    const takeOver = async () => {
      second = (await signUp(deps, ctx, { email, password })).userId;
    };
    await deleteUser(interruptBefore(to('reservation'), deps, takeOver), ctx, { userId });
    expect((await signInWithPassword(deps, ctx, { email, password, config })).userId).toBe(second);
    expect((await eventsOf('UserDeleted')).map(({ data }) => data.userId)).toEqual([userId]);
    expect(await eventsOf('ReservationReleased')).toEqual([]);
  });

  test('of a change of address with the user’s change back leaves the address with them', async () => {
    const { deps, userId, clock } = await withAnn();
    const primaryEmail = 'new@example.com';
    const move = { userId, project, primaryEmail };
    const isRelease: Parameters<typeof interruptBefore>[0] = ({ stream, expected }) =>
      stream.startsWith('reservation') && expected >= 0n;
    const goBack = () => addContactChannel(deps, ctx, { userId, value: email, usedForAuth: true });
    await updateUser(interruptBefore(isRelease, deps, goBack), ctx, move);
    clock.advance(60_000);
    const stranger = signUp(deps, ctx, { email, password });
    await expectRejection(stranger, 'USER_EMAIL_ALREADY_EXISTS', { email });
    for (const own of [email, primaryEmail]) {
      expect((await signInWithPassword(deps, ctx, { email: own, password, config })).userId).toBe(userId);
    }
  });

  test('of two members who remove each other removes only one', async () => {
    const { deps, ctx: shop, teamId, creatorId: ann, newUser, eventsOf } = await withTeam();
    const bob = await newUser();
    await addTeamMember(deps, shop, { teamId, userId: bob, project });
    await grantTeamPermission(deps, shop, { teamId, userId: bob, permissionId: 'team_admin' });
    const removeAnn = () => removeTeamMember(deps, shop, { teamId, userId: ann, by: bob });
    const late = interruptBefore(to(`membership-${teamId}.${bob}`), deps, removeAnn);
    const removeBob = removeTeamMember(late, shop, { teamId, userId: bob, by: ann });
    await expectRejection(removeBob, 'TEAM_MEMBERSHIP_NOT_FOUND', { team_id: teamId, user_id: ann });
    expect((await eventsOf('TeamMemberRemoved')).map(({ data }) => data.userId)).toEqual([ann]);
  });

  test('with another write with the same key is reported as a lost response', async () => {
    const { deps, eventsOf } = await createWorld();
    const asked = (requestId: string) => ({ ...ctx, requestId, idempotencyHash: 'hash-of-key' });
    const late = interruptBefore(to('request'), deps, () => createUser(deps, asked('second'), { project }));
    await expectRejection(createUser(late, asked('first'), { project }), 'RESPONSE_LOST');
    // The price: both were done. It takes a first request that was given up for dead after a minute, and this very
    // moment.
    expect(await eventsOf('UserCreated')).toHaveLength(2);
  });
});
