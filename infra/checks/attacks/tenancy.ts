import { type Attack, attack } from './attack.ts';
import { mustHold, mustReject } from './outcome.ts';
import { callbackUrl, farAway, newEmail, newPassword, type Person, type Project, type World } from './world.ts';

/** Something of everything that has an ID. */
async function possessions(world: World, project: Project, person: Person) {
  const { must } = world;
  const as = person.accessToken;
  const own = { ...project, as };
  const team = await must('POST', '/teams', { ...own, body: { display_name: 'Crew' } });
  const key = { description: 'k', expires_at_millis: null };
  const invitation = { team_id: team.id, email: newEmail(), callback_url: callbackUrl };
  return {
    userId: person.userId,
    teamId: team.id as string,
    channelId: (await must('GET', '/contact-channels?user_id=me', own)).items[0].id as string,
    sessionId: (await must('GET', '/auth/sessions?user_id=me', own)).items[0].id as string,
    userKeyId: (await must('POST', '/user-api-keys', { ...own, body: { ...key, user_id: 'me' } })).id as string,
    teamKeyId: (await must('POST', '/team-api-keys', { ...own, body: { ...key, team_id: team.id } })).id as string,
    invitationId: (await must('POST', '/team-invitations/send-code', { ...own, body: invitation })).id as string,
  };
}
type Possessions = Awaited<ReturnType<typeof possessions>>;

/** Reads and writes of what is somebody else's. */
const calls = (of: Possessions): (readonly [string, string, object?])[] => [
  ['GET', `/users/${of.userId}`],
  ['PATCH', `/users/${of.userId}`, { display_name: 'x' }],
  ['DELETE', `/users/${of.userId}`],
  ['GET', `/users/${of.userId}/export`],
  ['GET', `/teams/${of.teamId}`],
  ['PATCH', `/teams/${of.teamId}`, { display_name: 'x' }],
  ['DELETE', `/teams/${of.teamId}`],
  ['GET', `/contact-channels/${of.userId}/${of.channelId}`],
  ['PATCH', `/contact-channels/${of.userId}/${of.channelId}`, { is_primary: true }],
  ['DELETE', `/contact-channels/${of.userId}/${of.channelId}`],
  ['POST', `/contact-channels/${of.userId}/${of.channelId}/send-verification-code`, { callback_url: callbackUrl }],
  ['DELETE', `/auth/sessions/${of.sessionId}?user_id=${of.userId}`],
  ['GET', `/user-api-keys/${of.userKeyId}`],
  ['PATCH', `/user-api-keys/${of.userKeyId}`, { revoked: true }],
  ['POST', `/user-api-keys/${of.userKeyId}/rotate`, { expires_at_millis: null, old_expires_at_millis: 1 }],
  ['PATCH', `/team-api-keys/${of.teamKeyId}`, { revoked: true }],
  ['DELETE', `/team-invitations/${of.invitationId}?team_id=${of.teamId}`],
  ['GET', `/team-member-profiles/${of.teamId}/${of.userId}`],
  ['PATCH', `/team-member-profiles/${of.teamId}/${of.userId}`, { display_name: 'x' }],
  ['POST', `/team-memberships/${of.teamId}/${of.userId}`, {}],
  ['DELETE', `/team-memberships/${of.teamId}/${of.userId}`],
  ['POST', `/team-invitations/send-code`, { team_id: of.teamId, email: newEmail(), callback_url: callbackUrl }],
];

export const tenancy: readonly Attack[] = [
  attack('Z1', 'A client sets server-only fields of its user', async (world) => {
    const { a, send, must } = world;
    const person = await world.signUp(a);
    const fields = [
      { server_metadata: { role: 'admin' } },
      { client_read_only_metadata: { role: 'admin' } },
      { primary_email_verified: true },
      { primary_email: newEmail() },
      { password: newPassword() },
      { is_anonymous: false },
      { id: person.userId },
      { project_id: world.b.projectId },
      { requires_totp_mfa: false },
    ];
    for (const body of fields) {
      mustReject(await send('PATCH', '/users/me', { ...a, as: person.accessToken, body }), Object.keys(body).join());
    }
    const channel = { user_id: 'me', type: 'email', value: newEmail(), used_for_auth: false, is_verified: true };
    mustReject(await send('POST', '/contact-channels', { ...a, as: person.accessToken, body: channel }), 'is_verified');
    const team = { display_name: 'x', server_metadata: { paid: true } };
    mustReject(await send('POST', '/teams', { ...a, as: person.accessToken, body: team }), 'server_metadata of a team');
    const after = await must('GET', `/users/${person.userId}`, { ...a, access: 'server' });
    mustHold(
      after.server_metadata === null && after.primary_email_verified === false,
      'a server-only field was changed',
    );
  }),
  attack('Z2', 'A server and an administrator of one project access another project (21 calls each)', async (world) => {
    const theirs = await possessions(world, world.b, await world.signUp(world.b));
    for (const access of ['server', 'admin'] as const) {
      for (const [method, path, body] of calls(theirs)) {
        const answer = await world.send(method, path, { ...world.a, access, ...(body && { body }) });
        mustHold(answer.status >= 400 && answer.status < 500, `${access} ${method} ${path}: ${answer.status}`);
      }
    }
    const still = await world.must('GET', `/users/${theirs.userId}`, { ...world.b, access: 'server' });
    mustHold(still.display_name !== 'x', 'the user was changed');
  }),
  attack('Z3', 'A user accesses data of another user of the same project (21 calls)', async (world) => {
    const [attacker, victim] = [await world.signUp(world.a), await world.signUp(world.a)];
    const theirs = await possessions(world, world.a, victim);
    for (const [method, path, body] of calls(theirs)) {
      const answer = await world.send(method, path, { ...world.a, as: attacker.accessToken, ...(body && { body }) });
      mustHold(answer.status >= 400 && answer.status < 500, `${method} ${path}: ${answer.status}`);
    }
  }),
  attack('Z5', 'API keys of users and teams are accepted for each other or as project keys', async (world) => {
    const { a, send, must } = world;
    const person = await world.signUp(a);
    const own = { ...a, as: person.accessToken };
    const key = await must('POST', '/user-api-keys', {
      ...own,
      body: { user_id: 'me', description: 'k', expires_at_millis: farAway },
    });
    const check = (path: string, project: Project) =>
      send('POST', path, { ...project, access: 'server', body: { api_key: key.value } });
    mustHold((await check('/user-api-keys/check', a)).status === 200, 'the key does not work');
    mustHold((await check('/team-api-keys/check', a)).status >= 400, 'a user’s key as a team’s');
    mustHold((await check('/user-api-keys/check', world.b)).status >= 400, 'in another project');
    for (const access of ['client', 'server', 'admin'] as const) {
      const keys = { ...a.keys, [access]: key.value };
      mustReject(await send('GET', '/projects/current', { ...a, access, keys }), `as ${access} key`);
    }
  }),
  attack('Z6', 'Permissions contain each other, and a member grants themselves one', async (world) => {
    const { a, send, must } = world;
    const admin = { ...a, access: 'admin' } as const;
    const [one, two] = [`p_${Date.now()}_one`, `p_${Date.now()}_two`];
    await must('POST', '/team-permission-definitions', { ...admin, body: { id: one } });
    await must('POST', '/team-permission-definitions', {
      ...admin,
      body: { id: two, contained_permission_ids: [one] },
    });
    const cycle = { contained_permission_ids: [two] };
    mustReject(await send('PATCH', `/team-permission-definitions/${one}`, { ...admin, body: cycle }), 'cycle');
    const person = await world.signUp(a);
    const owned = await must('POST', '/teams', { ...a, as: person.accessToken, body: { display_name: 'x' } });
    for (const id of [one, 'admin', '$delete_team']) {
      const path = `/team-permissions/${owned.id}/${person.userId}/${encodeURIComponent(id)}`;
      mustReject(await send('POST', path, { ...a, as: person.accessToken, body: {} }), `granted ${id}`);
    }
  }),
  attack('Z7', 'A user names another user where only `me` is allowed', async (world) => {
    const { a, send } = world;
    const [attacker, victim] = [await world.signUp(a), await world.signUp(a)];
    const own = { ...a, as: attacker.accessToken };
    for (const path of ['/contact-channels', '/auth/sessions', '/teams', '/user-api-keys', '/project-permissions']) {
      mustReject(await send('GET', `${path}?user_id=${victim.userId}`, own), path);
    }
    const body = { user_id: victim.userId, type: 'email', value: newEmail(), used_for_auth: true };
    mustReject(await send('POST', '/contact-channels', { ...own, body }), 'address for another');
    const key = { user_id: victim.userId, description: 'k', expires_at_millis: null };
    mustReject(await send('POST', '/user-api-keys', { ...own, body: key }), 'key for another');
    mustReject(await send('GET', '/users/me', a), '`me` without a user');
  }),
  attack('Z8', 'A removed member still acts for the team', async (world) => {
    const { a, send, must } = world;
    const [owner, member] = [await world.signUp(a), await world.signUp(a)];
    const team = await must('POST', '/teams', { ...a, as: owner.accessToken, body: { display_name: 'Crew' } });
    await must('POST', `/team-memberships/${team.id}/${member.userId}`, { ...a, access: 'server', body: {} });
    await must('DELETE', `/team-memberships/${team.id}/${member.userId}`, { ...a, as: owner.accessToken });
    const as = member.accessToken;
    mustReject(await send('GET', `/teams/${team.id}`, { ...a, as }), 'reads the team');
    mustReject(await send('PATCH', `/teams/${team.id}`, { ...a, as, body: { display_name: 'x' } }), 'renames the team');
    const body = { team_id: team.id, email: newEmail(), callback_url: callbackUrl };
    mustReject(await send('POST', '/team-invitations/send-code', { ...a, as, body }), 'invites');
  }),
];
