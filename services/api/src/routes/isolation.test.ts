import { notificationCategories } from '@gatebook/contract/notifications';
import { describe, expect, test } from 'vitest';
import { browserOf } from '../testing/oauth.ts';
import {
  type Answer,
  createProject,
  newEmail,
  type OwnedProject,
  type Send,
  type SignedIn,
  signUp,
} from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';
import { routes as declared } from './all.ts';

/*
 * Every route that takes an id, called with ids of somebody else's: of the other project by every kind of credential,
 * of another person and their team by a person. The answer has to be the one that ids get which nobody has ever had,
 * and nothing of the other side may change.
 */

/** What a person has: everything that has an id. */
type Possessions = Record<(typeof names)[number], string>;
const names = [
  ...['user_id', 'team_id', 'channel_id', 'session_id', 'user_key', 'team_key', 'invitation_id', 'key_id'],
  ...['permission_id', 'email_id', 'project_id', 'oauth_account_id', 'event_id', 'action_id', 'request_id'],
  ...['endpoint_id', 'metric_id'],
] as const;
type Side = OwnedProject & { people: [Person, Person] };
type Person = SignedIn & { has: Possessions };

const config = {
  allow_user_api_keys: true,
  allow_team_api_keys: true,
  client_team_creation_enabled: true,
  client_user_deletion_enabled: true,
  oauth_providers: [{ id: 'github', type: 'standard', client_id: 'id', client_secret: 'secret' }],
  email_config: {
    type: 'standard',
    host: 'smtp.example.com',
    port: 25,
    username: 'shop',
    password: 'secret',
    sender_name: 'Shop',
    sender_email: 'shop@example.com',
  },
};
const callback_url = 'http://localhost:3000/handler/team-invitation';

const { api, send } = await startSuite();
const [mine, theirs] = await Promise.all([newSide(), newSide()]);

async function newSide(): Promise<Side> {
  const project = await createProject(send, { config });
  const permission_id = `p_${newEmail().replace(/\D/g, '')}`;
  await send('POST', '/team-permission-definitions', { ...project, access: 'admin', body: { id: permission_id } });
  const people = [await newPerson(project, permission_id), await newPerson(project, permission_id)] as const;
  return { ...project, people: [...people] };
}

async function newPerson(project: OwnedProject, permission_id: string): Promise<Person> {
  const person = await signUp(send, project);
  const as = (method: string, path: string, body?: unknown) =>
    send(method, path, { ...project, as: person.accessToken, ...(body === undefined ? {} : { body }) });
  const account = { accountId: person.userId };
  await browserOf(api, project).signIn('github', account, { type: 'link', token: person.accessToken });
  const idIn = ({ body }: Answer): string => body.id ?? body.items[0].id;
  const team_id = idIn(await as('POST', '/teams', { display_name: 'Crew' }));
  const newKey = { description: 'k', expires_at_millis: null };
  const events = await api.deps.store.readAll(0n, 100_000);
  const mail = events.findLast(({ type, data }) => type === 'EmailRequested' && data.userId === person.userId);
  const hooks = { url: 'https://1.1.1.1/hooks' };
  const endpoint = await send('POST', '/webhooks/endpoints', { ...project, access: 'admin', body: hooks });
  const events_of = { display_name: 'x', event_types: ['user.*'], unit: 'day' };
  const metric = await send('POST', '/internal/custom-metrics', { ...project, access: 'admin', body: events_of });
  const request_id = String((await as('GET', '/team-member-profiles?team_id=x')).headers['x-stack-request-id']);
  return {
    ...person,
    has: {
      user_id: person.userId,
      team_id,
      permission_id,
      project_id: project.projectId,
      channel_id: idIn(await as('GET', '/contact-channels?user_id=me')),
      oauth_account_id: idIn(await as('GET', '/oauth-providers?user_id=me')),
      session_id: idIn(await as('GET', '/auth/sessions?user_id=me')),
      user_key: idIn(await as('POST', '/user-api-keys', { ...newKey, user_id: 'me' })),
      team_key: idIn(await as('POST', '/team-api-keys', { ...newKey, team_id })),
      invitation_id: idIn(
        await as('POST', '/team-invitations/send-code', { team_id, email: newEmail(), callback_url }),
      ),
      key_id: idIn(await send('GET', '/internal/api-keys', { ...project, access: 'admin' })),
      email_id: String(mail?.data.emailId),
      event_id: String(mail?.id),
      action_id: String(mail?.metadata.requestId),
      request_id,
      endpoint_id: idIn(endpoint),
      metric_id: idIn(metric),
    },
  };
}

/** Ids as real ones look, which nobody has. */
const nobodys: Possessions = Object.fromEntries(
  names.map((name, nth) => [name, `5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f${String(nth).padStart(2, '0')}`]),
) as Possessions;
nobodys.permission_id = 'nobodys';
nobodys.action_id = 'zzzzzzzzzzzzzzzz';
// A request ID names its window of five minutes, in which the caller's own project can have rejections.
nobodys.request_id = `${theirs.people[0].has.request_id.slice(0, 4)}zzzzzzzzzzzz`;

type Shape = { query?: (ids: Possessions) => string; body?: (ids: Possessions) => unknown };
const newKey = { description: 'x', expires_at_millis: null };
/** Of keys of users, teams and projects. */
const rotation = () => ({ expires_at_millis: Date.now() + 120_000, old_expires_at_millis: Date.now() + 60_000 });
/** What a call needs beside its path, to be understood. Calls without ids anywhere are not listed. */
const shapes: Readonly<Record<string, Shape>> = {
  'GET /contact-channels': { query: ({ user_id }) => `user_id=${user_id}` },
  'POST /contact-channels': {
    body: ({ user_id }) => ({ user_id, type: 'email', value: 'x@example.com', used_for_auth: false }),
  },
  'PATCH /contact-channels/:user_id/:channel_id': { body: () => ({ used_for_auth: false }) },
  'POST /contact-channels/:user_id/:channel_id/send-verification-code': { body: () => ({ callback_url }) },
  'POST /emails/send-email': { body: ({ user_id }) => ({ user_ids: [user_id], html: '<p>x</p>' }) },
  'PATCH /internal/email-templates/:template_id': { body: () => ({ tsx_source: 'x' }) },
  'PATCH /internal/email-themes/:theme_id': { body: () => ({ tsx_source: 'x' }) },
  'PATCH /internal/email-drafts/:draft_id': { body: () => ({ tsx_source: 'x' }) },
  'PATCH /emails/outbox/:email_id': { body: () => ({ cancel: true }) },
  'PATCH /emails/notification-preference/:user_id/:category_id': { body: () => ({ enabled: false }) },
  'GET /internal/user-activity': { query: ({ user_id }) => `user_id=${user_id}` },
  'GET /auth/sessions': { query: ({ user_id }) => `user_id=${user_id}` },
  'POST /connected-accounts/:user_id/:provider/access-token': { body: () => ({}) },
  'POST /connected-accounts/:user_id/:provider/:provider_account_id/access-token': { body: () => ({}) },
  'GET /oauth-providers': { query: ({ user_id }) => `user_id=${user_id}` },
  'POST /oauth-providers': {
    body: ({ user_id }) => ({
      user_id,
      provider_config_id: 'github',
      account_id: 'nobody’s',
      allow_sign_in: true,
      allow_connected_accounts: true,
    }),
  },
  'PATCH /oauth-providers/:user_id/:oauth_account_id': { body: () => ({ allow_sign_in: true }) },
  'POST /auth/sessions': { body: ({ user_id }) => ({ user_id }) },
  'DELETE /auth/sessions/:session_id': { query: ({ user_id }) => `user_id=${user_id}` },
  'GET /users': { query: ({ user_id, team_id }) => `team_id=${team_id}&cursor=${user_id}` },
  'PATCH /users/me': { body: ({ team_id }) => ({ selected_team_id: team_id }) },
  'PATCH /users/:user_id': { body: () => ({ display_name: 'x' }) },
  'GET /teams': { query: ({ user_id }) => `user_id=${user_id}` },
  'POST /teams': { body: ({ user_id }) => ({ display_name: 'x', creator_user_id: user_id }) },
  'PATCH /teams/:team_id': { body: () => ({ display_name: 'x' }) },
  'POST /team-memberships/:team_id/:user_id': { body: () => ({}) },
  'GET /team-member-profiles': { query: ({ team_id, user_id }) => `team_id=${team_id}&user_id=${user_id}` },
  'PATCH /team-member-profiles/:team_id/:user_id': { body: () => ({ display_name: 'x' }) },
  'POST /team-invitations/send-code': {
    body: ({ team_id }) => ({ team_id, email: 'x@example.com', callback_url }),
  },
  'GET /team-invitations': { query: ({ team_id }) => `team_id=${team_id}` },
  'POST /team-invitations/:invitation_id/accept': { query: ({ user_id }) => `user_id=${user_id}` },
  'DELETE /team-invitations/:invitation_id': { query: ({ team_id }) => `team_id=${team_id}` },
  'PATCH /team-permission-definitions/:permission_id': { body: () => ({ description: 'x' }) },
  'PATCH /project-permission-definitions/:permission_id': { body: () => ({ description: 'x' }) },
  'GET /team-permissions': { query: ({ team_id, user_id }) => `team_id=${team_id}&user_id=${user_id}` },
  'POST /team-permissions/:team_id/:user_id/:permission_id': { body: () => ({}) },
  'GET /project-permissions': { query: ({ user_id }) => `user_id=${user_id}` },
  'POST /project-permissions/:user_id/:permission_id': { body: () => ({}) },
  'GET /user-api-keys': { query: ({ user_id }) => `user_id=${user_id}` },
  'POST /user-api-keys': { body: ({ user_id }) => ({ ...newKey, user_id }) },
  'PATCH /user-api-keys/:api_key_id': { body: () => ({ description: 'x' }) },
  'POST /user-api-keys/:api_key_id/rotate': { body: rotation },
  'GET /team-api-keys': { query: ({ team_id }) => `team_id=${team_id}` },
  'POST /team-api-keys': { body: ({ team_id }) => ({ ...newKey, team_id }) },
  'GET /team-api-keys/:api_key_id': { query: ({ team_id }) => `team_id=${team_id}` },
  'PATCH /team-api-keys/:api_key_id': { query: ({ team_id }) => `team_id=${team_id}`, body: () => ({ revoked: true }) },
  'POST /team-api-keys/:api_key_id/rotate': { query: ({ team_id }) => `team_id=${team_id}`, body: rotation },
  'POST /internal/users/:user_id/merge': { body: ({ user_id }) => ({ duplicate_user_id: user_id }) },
  'PATCH /internal/api-keys/:key_id': { body: () => ({ revoked: true }) },
  'POST /internal/api-keys/:key_id/rotate': { body: rotation },
  'PUT /internal/projects/current/members/:user_id': { body: () => ({ role: 'support' }) },
  'GET /internal/permissions/:permission_id/holders': { query: () => 'scope=project' },
  'PATCH /internal/custom-metrics/:metric_id': { body: () => ({ display_name: 'x' }) },
  'PATCH /webhooks/endpoints/:endpoint_id': { body: () => ({ is_enabled: false }) },
  'POST /webhooks/endpoints/:endpoint_id/rotate-secret': { body: () => ({}) },
  'POST /webhooks/endpoints/:endpoint_id/test': { body: () => ({}) },
  'POST /webhooks/endpoints/:endpoint_id/replay': { body: () => ({ since_millis: 0, only: 'all', dry_run: true }) },
};

/** Anyone may read a project's public keys; read models are the server's, for the owners of `internal` alone. */
const withoutOwner = (route: string) =>
  route.startsWith('GET /projects/:project_id/.well-known/') || route.includes('/:version_id');
const accessOf = new Map(declared.map(({ method, path, access }) => [`${method} ${path}`, access]));
const routes = declared
  .filter(({ isRoot }) => !isRoot)
  .map(({ method, path }) => `${method} ${path}`)
  .filter((route) => route in shapes || (/:\w+_id/.test(route) && !withoutOwner(route)));

const known = new Map<string, keyof Possessions>(names.map((name) => [`:${name}`, name]));

function pathOf(route: string, ids: Possessions): string {
  const [, path = ''] = route.split(' ');
  const key = path.startsWith('/team-api-keys') ? ids.team_key : ids.user_key;
  const filled = path
    .replace(':provider', 'github')
    .replace(':customer_type', 'user')
    .replace(':category_id', notificationCategories.marketing.id)
    .replace(/:\w+/g, (name) => (name === ':api_key_id' ? key : ids[known.get(name) ?? 'user_id']));
  const query = shapes[route]?.query?.(ids);
  return query === undefined ? filled : `${filled}?${query}`;
}

type Caller = Parameters<Send>[2];

/** Status and body of a call with these ids, each told by what it names. */
async function answerTo(route: string, ids: Possessions, caller: Caller) {
  const [method = ''] = route.split(' ');
  const body = shapes[route]?.body?.(ids);
  const answer = await send(method, pathOf(route, ids), { ...caller, ...(body === undefined ? {} : { body }) });
  const text = names.reduce((told, name) => told.replaceAll(ids[name], `<${name}>`), answer.text);
  return { status: answer.status, text: text.replaceAll('<user_key>', '<key>').replaceAll('<team_key>', '<key>') };
}

/** Types of the events of one project since a position. */
async function eventsOf({ projectId }: OwnedProject, since: bigint): Promise<string[]> {
  const events = await api.deps.store.readAll(since, 10_000);
  return events.filter(({ metadata }) => metadata.projectId === projectId).map(({ type }) => type);
}

describe('a caller with IDs of another project', () => {
  const callers: [string, () => Caller][] = [
    ['a person', () => ({ ...mine, as: mine.people[0].accessToken })],
    ['a client without a user', () => mine],
    ['a server', () => ({ ...mine, access: 'server' })],
    ['a server with a user’s token', () => ({ ...mine, access: 'server', as: mine.people[0].accessToken })],
    ['an administrator', () => ({ ...mine, access: 'admin' })],
    [
      'an owner',
      () => ({
        ...mine,
        access: 'admin',
        headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': mine.owner.accessToken },
      }),
    ],
  ];

  test.each(routes)('%s answers as for unknown IDs', async (route) => {
    const before = await api.deps.store.head();
    for (const [who, caller] of callers) {
      const told = await answerTo(route, theirs.people[0].has, caller());
      expect.soft(told, who).toEqual(await answerTo(route, nobodys, caller()));
      expect.soft(told.text, `${who}: the call has to be understood`).not.toContain('SCHEMA_ERROR');
      expect.soft(told.status, who).toBeLessThan(500);
    }
    expect(await eventsOf(theirs, before)).toEqual([]);
  });
});

describe('a user with IDs of another user and their team', () => {
  /** Told apart by the protocol (protocol, resources §7.3): keys are looked up before permissions are checked. */
  const toldApart = [
    'GET /user-api-keys/:api_key_id',
    'PATCH /user-api-keys/:api_key_id',
    'POST /user-api-keys/:api_key_id/rotate',
  ];

  test.each(routes)('%s answers as for unknown IDs', async (route) => {
    const [me, other] = mine.people;
    const before = await api.deps.store.head();
    const told = await answerTo(route, other.has, { ...mine, as: me.accessToken });
    if (toldApart.includes(route)) expect(told.status).toBe(403);
    else expect(told).toEqual(await answerTo(route, nobodys, { ...mine, as: me.accessToken }));
    expect(told.status).toBeGreaterThanOrEqual(400);
    expect(await eventsOf(mine, before)).toEqual([]);
  });
});

test('all data still exists for its owners', async () => {
  for (const side of [mine, theirs]) {
    for (const { has, accessToken } of side.people) {
      for (const route of routes.filter((one) => one.startsWith('GET '))) {
        if (!accessOf.get(route)?.includes('client')) continue;
        const { status } = await answerTo(route, has, { ...side, as: accessToken });
        expect.soft(status, route).toBe(200);
      }
    }
  }
});
