import { beforeAll, describe, expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  type OwnedProject,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const strict = await createProject(send);
const callback_url = 'http://localhost:3000/handler/team-invitation';
const asServer = (method: string, path: string, body?: unknown, of: OwnedProject = project) =>
  send(method, path, { ...of, access: 'server', ...(body === undefined ? {} : { body }) });
const as = (user: SignedIn, method: string, path: string) => send(method, path, { ...project, as: user.accessToken });

let teamId = '';
beforeAll(async () => {
  teamId = (await asServer('POST', '/teams', { display_name: 'Band' })).body.id;
});

const invite = async (email: string, of = project, team_id = teamId): Promise<string> =>
  (await asServer('POST', '/team-invitations/send-code', { team_id, email, callback_url }, of)).body.id;
const verify = async ({ userId }: SignedIn) => {
  const [channel] = (await asServer('GET', `/contact-channels?user_id=${userId}`)).body.items;
  await asServer('PATCH', `/contact-channels/${userId}/${channel.id}`, { is_verified: true });
};
const withVerified = async (email = newEmail()) => {
  const user = await signUp(send, project, email);
  await verify(user);
  return user;
};
const received = (user: SignedIn) => as(user, 'GET', '/team-invitations?user_id=me');
const accept = (user: SignedIn, id: string) => as(user, 'POST', `/team-invitations/${id}/accept?user_id=me`);
const teamsOf = async (user: SignedIn) => (await as(user, 'GET', '/teams?user_id=me')).body.items;

describe('received invitations', () => {
  test('are those to verified addresses, in any spelling, with the name of the team', async () => {
    const user = await withVerified('Friend.One@Example.com');
    const id = await invite('friend.one@EXAMPLE.com');
    const invitation = {
      id,
      team_id: teamId,
      team_display_name: 'Band',
      recipient_email: 'friend.one@EXAMPLE.com',
      expires_at_millis: expect.any(Number),
    };
    expect((await received(user)).body).toEqual({ items: [invitation], is_paginated: false });
    const byId = await as(user, 'GET', `/team-invitations?user_id=${user.userId}`);
    expect(byId.body.items).toEqual([invitation]);
    expect((await asServer('GET', `/team-invitations?user_id=${user.userId}`)).body.items).toEqual([invitation]);
  });

  test('exclude those to unverified addresses until they are verified', async () => {
    const user = await signUp(send, project);
    const id = await invite(user.email);
    expect((await received(user)).body.items).toEqual([]);
    expectPlain(await accept(user, id), 404);
    await verify(user);
    expect((await received(user)).body.items).toMatchObject([{ id }]);
  });

  test('exclude used, revoked and expired ones, those of deleted teams, and those of other projects', async () => {
    const user = await withVerified();
    const elsewhere = await createProject(send);
    const theirTeam = (await asServer('POST', '/teams', { display_name: 'Others' }, elsewhere)).body.id;
    const short = (await asServer('POST', '/teams', { display_name: 'Short' })).body.id;
    const used = await invite(user.email);
    const revoked = await invite(user.email);
    const closed = [
      used,
      revoked,
      await invite(user.email, elsewhere, theirTeam),
      await invite(user.email, project, short),
    ];
    await accept(user, used);
    await asServer('DELETE', `/team-invitations/${revoked}?team_id=${teamId}`);
    await asServer('DELETE', `/teams/${short}`);
    expect((await received(user)).body.items).toEqual([]);
    for (const id of closed) expectPlain(await accept(user, id), 404);
  });

  test('can’t be read or accepted for another user, without a user, or without a recipient', async () => {
    const [user, stranger] = [await withVerified(), await withVerified()];
    const id = await invite(user.email);
    expectPlain(await as(stranger, 'GET', `/team-invitations?user_id=${user.userId}`), 403);
    expectPlain(await as(stranger, 'POST', `/team-invitations/${id}/accept?user_id=${user.userId}`), 403);
    expectPlain(await accept(stranger, id), 404);
    for (const [method, path] of [
      ['GET', '/team-invitations'],
      ['POST', `/team-invitations/${id}/accept`],
    ] as const) {
      expectKnown(await send(method, `${path}?user_id=me`, project), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    }
    expectSchemaError(await as(user, 'POST', `/team-invitations/${id}/accept`), 'query.user_id is required');
    const both = await as(user, 'GET', `/team-invitations?team_id=${teamId}&user_id=me`);
    expectSchemaError(both, 'query.user_id: must not be combined with team_id');
    expect((await asServer('GET', `/team-invitations?user_id=${unknownId}`)).body.items).toEqual([]);
  });
});

describe('accepting a received invitation', () => {
  test('adds the user to the team once, and uses the emailed code', async () => {
    const user = await withVerified();
    const id = await invite(user.email);
    const { code } = await mailTo(api, user.email);
    const accepted = await accept(user, id);
    expect([accepted.status, accepted.body]).toEqual([200, {}]);
    expect(await teamsOf(user)).toMatchObject([{ id: teamId }]);
    const permissions = await as(user, 'GET', `/team-permissions?team_id=${teamId}&user_id=me`);
    expect(permissions.body.items).toMatchObject([{ id: 'team_member' }]);
    expectPlain(await accept(user, id), 404);
    const withCode = await send('POST', '/team-invitations/accept', {
      ...project,
      as: user.accessToken,
      body: { code },
    });
    expectKnown(withCode, 409, 'VERIFICATION_CODE_ALREADY_USED');
  });

  test('works for a server on behalf of the recipient only', async () => {
    const [user, stranger] = [await withVerified(), await withVerified()];
    const id = await invite(user.email);
    const acceptFor = (userId: string) => asServer('POST', `/team-invitations/${id}/accept?user_id=${userId}`);
    expectPlain(await acceptFor(stranger.userId), 404);
    expectKnown(await acceptFor(unknownId), 404, 'USER_NOT_FOUND');
    expect((await acceptFor(user.userId)).status).toBe(200);
    expect(await teamsOf(user)).toMatchObject([{ id: teamId }]);
  });

  test('is rejected for anonymous users', async () => {
    const { access_token: token } = (
      await send('POST', '/auth/anonymous/sign-up', { projectId: 'internal', keys: api.keys })
    ).body;
    const rejected = await send('POST', `/team-invitations/${unknownId}/accept?user_id=me`, { as: token });
    expectKnown(rejected, 403, 'TEAM_INVITATION_RESTRICTED_USER_NOT_ALLOWED', {
      restricted_reason: { type: 'anonymous' },
    });
    const empty = await send('GET', '/team-invitations?user_id=me', { as: token });
    expect(empty.body.items).toEqual([]);
  });
});

test('a user with an unverified primary address accepts no invitation where one must be verified', async () => {
  const settings = await send('PATCH', '/internal/projects/current/settings', {
    ...strict,
    access: 'admin',
    body: { email_verification_required: true },
  });
  expect(settings.status).toBe(200);
  const user = await signUp(send, strict);
  const team = (await asServer('POST', '/teams', { display_name: 'Strict' }, strict)).body.id;
  const id = await invite(user.email, strict, team);
  const { code } = await mailTo(api, user.email);
  const reason = { restricted_reason: { type: 'email_not_verified' } };
  const call = { ...strict, as: user.accessToken };
  const withCode = await send('POST', '/team-invitations/accept', { ...call, body: { code } });
  const byId = await send('POST', `/team-invitations/${id}/accept?user_id=me`, call);
  for (const rejected of [withCode, byId]) {
    expectKnown(rejected, 403, 'TEAM_INVITATION_RESTRICTED_USER_NOT_ALLOWED', reason);
  }
});

test('the list of a team contains its name for newer clients only', async () => {
  const team = (await asServer('POST', '/teams', { display_name: 'Named' })).body.id;
  await invite(newEmail(), project, team);
  const list = async (version: string) =>
    (
      await send('GET', `/team-invitations?team_id=${team}`, {
        ...project,
        access: 'server',
        headers: { 'x-stack-client-version': `js @stackframe/js@${version}` },
      })
    ).body.items;
  expect(await list('2.8.108')).toMatchObject([{ team_display_name: 'Named' }]);
  expect(Object.keys((await list('2.8.3'))[0])).not.toContain('team_display_name');
});
