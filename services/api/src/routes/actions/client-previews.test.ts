import { describe, expect, test } from 'vitest';
import { nameOf } from '../../http/define-route.ts';
import { addMember, asMember } from '../../testing/members.ts';
import {
  createProject,
  expectKnown,
  type OwnedProject,
  type SignedIn,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { routes } from '../all.ts';

const suite = await startSuite();
const { api, send } = suite;
const asServer = { access: 'server' } as const;
const path = '/internal/projects/transfer';

/** A team of `internal`. */
async function newTeam(...members: SignedIn[]): Promise<string> {
  const { body } = await send('POST', '/teams', { ...asServer, body: { display_name: 'Crew' } });
  for (const { userId } of members) {
    await send('POST', `/team-memberships/${body.id}/${userId}`, { ...asServer, body: {} });
  }
  return body.id;
}

type Transfer = { project_id: string; new_team_id: string };
const preview = (by: SignedIn, body: Transfer, since?: string) =>
  send('POST', '/internal/previews', {
    as: by.accessToken,
    body: { method: 'POST', path, body, ...(since !== undefined && { since }) },
  });
const transfer = (by: SignedIn, body: Transfer, etag: string) =>
  send('POST', path, { as: by.accessToken, body, headers: { 'if-match': `"${etag}"` } });
const revoke = (teamId: string, { userId }: SignedIn, permission: string) =>
  send('DELETE', `/team-permissions/${teamId}/${userId}/${permission}`, { ...asServer, body: {} });
const rename = (teamId: string) =>
  send('PATCH', `/teams/${teamId}`, { ...asServer, body: { display_name: 'New name' } });
const to = ({ projectId }: OwnedProject, teamId: string): Transfer => ({ project_id: projectId, new_team_id: teamId });

describe('a preview of the transfer of a project by its owner', () => {
  test('says who gains and loses access and which keys stay valid, and writes nothing', async () => {
    const shop = await createProject(send);
    const [stays, leaves] = [await addMember(suite, shop, 'developer'), await addMember(suite, shop, 'support')];
    const joins = await signUp(send);
    const teamId = await newTeam(shop.owner, stays, joins);
    const head = await api.deps.store.head();
    const { status, body } = await preview(shop.owner, to(shop, teamId));
    expect(await api.deps.store.head()).toBe(head);
    const person = ({ userId }: SignedIn) => ({ user_id: userId, team_id: null, display_name: null });
    expect({ status, answer: body.status, error: body.error }).toEqual({ status: 200, answer: 200, error: null });
    expect(body.effects).toEqual([
      {
        ...{ kind: 'access_lost', count: 1, text: '1 person loses access', permission_id: null },
        ...{ people: [person(leaves)], has_more_people: false },
      },
      {
        ...{ kind: 'access_gained', count: 1, text: '1 person gains access', permission_id: null },
        ...{ people: [person(joins)], has_more_people: false },
      },
      {
        ...{ kind: 'keys_kept', count: 1, permission_id: null, people: null, has_more_people: false },
        text: '1 project key stays valid, also for people who have copied it',
      },
    ]);
    expect(body).toMatchObject({
      is_reversible: false,
      irreversible_reasons: ['To undo a transfer, transfer the project back.'],
    });
  });

  test('says what the transfer does', async () => {
    const shop = await createProject(send);
    const [leaves, joins] = [await addMember(suite, shop, 'owner'), await signUp(send)];
    const teamId = await newTeam(shop.owner, joins);
    const { etag } = (await preview(shop.owner, to(shop, teamId))).body;
    expect((await transfer(shop.owner, to(shop, teamId), etag)).status).toBe(200);
    const members = '/internal/projects/current/members';
    expectKnown(await send('GET', members, asMember(shop, leaves)), 401, 'ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN');
    expect((await send('GET', members, asMember(shop, joins))).body.items).toHaveLength(2);
  });

  test('has the error of somebody who may not transfer, and nothing else', async () => {
    const shop = await createProject(send);
    const [developer, stranger] = [await addMember(suite, shop, 'developer'), await signUp(send)];
    for (const person of [developer, stranger]) {
      const { body } = await preview(person, to(shop, await newTeam(person)));
      expect(body).toMatchObject({
        ...{ status: 404, body: null, error: { code: 'PROJECT_NOT_FOUND' } },
        ...{ changes: [], events: [], effects: [], etag: null },
      });
    }
    const foreign = (await preview(shop.owner, to(shop, await newTeam(stranger)))).body;
    expect(foreign).toMatchObject({ status: 404, error: { code: 'TEAM_MEMBERSHIP_NOT_FOUND' }, effects: [] });
  });

  test('of a member of the team that owns it needs the permission of the transfer', async () => {
    const shop = await createProject(send);
    const [first, second] = [await newTeam(shop.owner), await newTeam(shop.owner)];
    await send('POST', path, { as: shop.owner.accessToken, body: to(shop, first) });
    const { body } = await preview(shop.owner, to(shop, second));
    expect(body).toMatchObject({ status: 401, error: { code: 'TEAM_PERMISSION_REQUIRED' }, effects: [] });
  });

  test('is rejected without a user, and for an impersonator', async () => {
    const shop = await createProject(send);
    const body = { method: 'POST', path, body: to(shop, await newTeam(shop.owner)) };
    const signedOut = await send('POST', '/internal/previews', { body });
    expect(signedOut.body).toMatchObject({ status: 401, error: { code: 'USER_AUTHENTICATION_REQUIRED' } });
    const { userId: user_id } = shop.owner;
    const session = { user_id, is_impersonation: true };
    const impersonated = await send('POST', '/auth/sessions', { ...asServer, body: session });
    const byImpersonator = await send('POST', '/internal/previews', { as: impersonated.body.access_token, body });
    expect(byImpersonator.body).toMatchObject({ status: 403, effects: [], etag: null });
  });

  test('does not say who the members of the team are to somebody who may not read them', async () => {
    const shop = await createProject(send);
    const [stays, joins] = [await addMember(suite, shop, 'developer'), await signUp(send)];
    const teamId = await newTeam(shop.owner, stays, joins);
    await revoke(teamId, shop.owner, 'team_member');
    const { body, text } = await preview(shop.owner, to(shop, teamId));
    expect(body.effects).toMatchObject([
      { kind: 'access_of_team', count: 1, text: 'Only members of the team have access', people: null },
      { kind: 'keys_kept', count: 1 },
    ]);
    expect(text).not.toContain(joins.userId);
  });

  test('does not say what has happened in project `internal`, nor how often', async () => {
    const shop = await createProject(send);
    const teamId = await newTeam(shop.owner);
    const { etag } = (await preview(shop.owner, to(shop, teamId))).body;
    expect(etag).toMatch(/^[\w-]{22}\.~[\w-]{22}$/);
    await rename(teamId);
    const again = (await preview(shop.owner, to(shop, teamId), etag)).body;
    expect({ isSame: again.etag === etag, changedSince: again.changed_since }).toEqual({
      isSame: false,
      changedSince: null,
    });
    const madeUp = etag.replace(/~.*/, 'x');
    for (const outdated of [etag, madeUp]) {
      expectKnown(await transfer(shop.owner, to(shop, teamId), outdated), 412, 'PREVIEW_OUTDATED', { changed: [] });
    }
    expect((await transfer(shop.owner, to(shop, teamId), again.etag)).status).toBe(200);
  });
});

describe('clients preview nothing but the transfer of a project', async () => {
  const ann = await signUp(send);
  const previewByClient = (body: { method: string; path: string; body?: unknown }) =>
    send('POST', '/internal/previews', { as: ann.accessToken, body });

  test('by its declaration', () => {
    const previewable = routes.filter(({ isPreviewable }) => isPreviewable === 'by clients too');
    expect(previewable.map(nameOf)).toEqual([`POST /api/v1${path}`]);
  });

  const others = routes.filter(({ access, isPreviewable }) => isPreviewable === true && access.includes('client'));
  test.each(others.map((route) => [nameOf(route), route] as const))('not %s', async (_, { method, path }) => {
    const concrete = path.replace(':user_id', 'me').replace(/:\w+/g, unknownId);
    expectKnown(await previewByClient({ method, path: concrete, body: {} }), 400, 'PREVIEW_NOT_SUPPORTED');
  });

  test.each([
    { method: 'DELETE', path: '/users/me' },
    { method: 'DELETE', path: '/auth/sessions/current' },
    { method: 'POST', path: '/auth/password/sign-in', body: { email: 'a@example.com', password: 'x' } },
  ])('not $method $path', async (body) => {
    expectKnown(await previewByClient(body), 400, 'PREVIEW_NOT_SUPPORTED');
  });
});
