import { expect, test } from 'vitest';
import { countMailsTo, mailTo } from '../../testing/mailbox.ts';
import {
  createProject,
  expectKnown,
  expectPlain,
  expectSchemaError,
  newEmail,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send, { config: { client_team_creation_enabled: true } });
const owner = await signUp(send, project);

const callback_url = 'http://localhost:3000/handler/team-invitation';
const withBody = (body?: unknown) => (body === undefined ? {} : { body });
const asServer = (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, access: 'server', ...withBody(body) });
const as = (user: SignedIn, method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, as: user.accessToken, ...withBody(body) });
const teamId = (await as(owner, 'POST', '/teams', { display_name: 'Band' })).body.id;
const asNobody = (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, ...withBody(body) });
const invitation = (body: object = {}) => ({ team_id: teamId, email: newEmail(), callback_url, ...body });
const open = async () => (await asServer('GET', `/team-invitations?team_id=${teamId}`)).body.items;
const withMember = async () => {
  const user = await signUp(send, project);
  await asServer('POST', `/team-memberships/${teamId}/${user.userId}`, {});
  return user;
};

test('a member invites a user, who views the invitation and joins, which consumes it', async () => {
  const body = invitation({ email: 'friend@example.com' });
  const sent = await as(owner, 'POST', '/team-invitations/send-code', body);
  expect(sent.body).toEqual({ success: true, id: expect.any(String) });
  const { code, link, variables } = await mailTo(api, 'friend@example.com');
  expect(link).toBe(`${callback_url}?code=${code}`);
  expect(variables).toMatchObject({ teamDisplayName: 'Band', projectDisplayName: 'App' });
  const listed = await as(owner, 'GET', `/team-invitations?team_id=${teamId}`);
  expect(listed.body).toEqual({
    items: [
      {
        id: sent.body.id,
        team_id: teamId,
        recipient_email: 'friend@example.com',
        expires_at_millis: expect.any(Number),
      },
    ],
    is_paginated: false,
  });
  const week = 7 * 24 * 60 * 60_000;
  expect(Math.abs(listed.body.items[0].expires_at_millis - Date.now() - week)).toBeLessThan(60_000);

  const friend = await signUp(send, project);
  const check = await asNobody('POST', '/team-invitations/accept/check-code', { code: code.toUpperCase() });
  expect(check.body).toEqual({ is_code_valid: true });
  const details = await as(friend, 'POST', '/team-invitations/accept/details', { code });
  expect(details.body).toEqual({ team_id: teamId, team_display_name: 'Band' });
  for (const path of ['accept', 'accept/details']) {
    const rejected = await asNobody('POST', `/team-invitations/${path}`, { code });
    expectKnown(rejected, 401, 'USER_AUTHENTICATION_REQUIRED');
  }
  const accepted = await as(friend, 'POST', '/team-invitations/accept', { code });
  expect({ status: accepted.status, body: accepted.body }).toEqual({ status: 200, body: {} });
  expect((await as(friend, 'GET', '/teams?user_id=me')).body.items).toMatchObject([{ id: teamId }]);
  expect(await open()).toEqual([]);
  const again = await as(friend, 'POST', '/team-invitations/accept', { code });
  expectKnown(again, 409, 'VERIFICATION_CODE_ALREADY_USED');
});

test('an invitation requires the permission, a trusted redirect URL and a team', async () => {
  const [member, stranger] = [await withMember(), await signUp(send, project)];
  const path = '/team-invitations/send-code';
  const place = { team_id: teamId, user_id: stranger.userId };
  expectKnown(await asNobody('POST', path, invitation()), 401, 'USER_AUTHENTICATION_REQUIRED');
  expectKnown(await as(stranger, 'POST', path, invitation()), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', place);
  const untrusted = invitation({ email: 'nobody@example.com', callback_url: 'https://evil.example/x' });
  expectKnown(await as(member, 'POST', path, untrusted), 400, 'REDIRECT_URL_NOT_WHITELISTED');
  expectKnown(await asServer('POST', path, untrusted), 400, 'REDIRECT_URL_NOT_WHITELISTED');
  const nowhere = await asServer('POST', path, invitation({ team_id: unknownId }));
  expectKnown(nowhere, 404, 'TEAM_NOT_FOUND', { team_id: unknownId });
  expect(await countMailsTo(api, 'nobody@example.com')).toBe(0);
  await asServer('DELETE', `/team-permissions/${teamId}/${member.userId}/team_member`, {});
  const lacking = { team_id: teamId, user_id: member.userId, permission_id: '$invite_members' };
  expectKnown(await as(member, 'POST', path, invitation()), 401, 'TEAM_PERMISSION_REQUIRED', lacking);
  expectSchemaError(await asServer('POST', path, {}), 'body.team_id', 'body.email', 'body.callback_url');
});

test('invitations are listed and revoked by members with the permission', async () => {
  const [member, stranger] = [await withMember(), await signUp(send, project)];
  const { id } = (await asServer('POST', '/team-invitations/send-code', invitation())).body;
  const list = (user: SignedIn) => as(user, 'GET', `/team-invitations?team_id=${teamId}`);
  const revoke = (user: SignedIn, invitationId = id) =>
    as(user, 'DELETE', `/team-invitations/${invitationId}?team_id=${teamId}`, {});
  const place = { team_id: teamId, user_id: stranger.userId };
  expectSchemaError(await as(owner, 'GET', '/team-invitations'), 'query.team_id: is required without user_id');
  expectSchemaError(await as(owner, 'DELETE', `/team-invitations/${id}`), 'query.team_id is required');
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', `/${id}`],
  ]) {
    const rejected = await asNobody(method ?? '', `/team-invitations${path}?team_id=${teamId}`);
    expectKnown(rejected, 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    const nowhere = await asServer(method ?? '', `/team-invitations${path}?team_id=${unknownId}`);
    expectKnown(nowhere, 404, 'TEAM_NOT_FOUND', { team_id: unknownId });
  }
  expectKnown(await list(stranger), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', place);
  expectKnown(await revoke(stranger), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', place);
  expect((await list(member)).body.items).toMatchObject([{ id }]);
  const lacking = { team_id: teamId, user_id: member.userId };
  const remove = { ...lacking, permission_id: '$remove_members' };
  expectKnown(await revoke(member), 401, 'TEAM_PERMISSION_REQUIRED', remove);
  await asServer('DELETE', `/team-permissions/${teamId}/${member.userId}/team_member`, {});
  expectKnown(await list(member), 401, 'TEAM_PERMISSION_REQUIRED', { ...lacking, permission_id: '$read_members' });
  await asServer('POST', `/team-permissions/${teamId}/${member.userId}/$read_members`, {});
  expectKnown(await list(member), 401, 'TEAM_PERMISSION_REQUIRED', { ...lacking, permission_id: '$invite_members' });
  expectPlain(await revoke(owner, unknownId), 404);
  const elsewhere = (await asServer('POST', '/teams', { display_name: 'x' })).body.id;
  expectPlain(await asServer('DELETE', `/team-invitations/${id}?team_id=${elsewhere}`), 404);
  expect((await revoke(owner)).body).toEqual({ success: true });
  expect(await open()).toEqual([]);
  expectPlain(await revoke(owner), 404);
});

test('deleting a team deletes its invitations', async () => {
  const { id } = (await asServer('POST', '/teams', { display_name: 'Short' })).body;
  await asServer('POST', '/team-invitations/send-code', invitation({ team_id: id, email: 'late@example.com' }));
  const { code } = await mailTo(api, 'late@example.com');
  await asServer('DELETE', `/teams/${id}`, {});
  expectKnown(await as(owner, 'POST', '/team-invitations/accept', { code }), 404, 'VERIFICATION_CODE_NOT_FOUND');
  const check = await asNobody('POST', '/team-invitations/accept/check-code', { code });
  expectKnown(check, 404, 'VERIFICATION_CODE_NOT_FOUND');
});
