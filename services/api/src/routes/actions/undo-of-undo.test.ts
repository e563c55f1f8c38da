import { isReversible, reversibility } from '@gatebook/commands/undo/reversibility';
import { notificationCategories } from '@gatebook/contract/notifications';
import { describe, expect, test } from 'vitest';
import { actionOf, actionsWith, patchUser, type World, type Write } from '../../testing/actions.ts';
import { addMember } from '../../testing/members.ts';
import { expectKnown } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const suite = await startSuite();
const { send } = suite;
const { write, read, undo, createWorld } = actionsWith(send);

/** What people read of everything that the writes below change. */
async function readAll({ project, user, team }: World) {
  const paths = [
    `/users/${user}`,
    `/contact-channels?user_id=${user}`,
    `/teams/${team}`,
    `/team-member-profiles?team_id=${team}`,
    `/team-permissions?team_id=${team}&recursive=true`,
    '/project-permissions?recursive=true',
    '/project-permissions?recursive=false',
    '/team-permission-definitions',
    '/project-permission-definitions',
    '/internal/projects/current',
    '/internal/projects/current/settings',
    '/internal/projects/current/members',
    '/internal/projects/current/password-migration',
    '/internal/config',
    '/internal/deleted-users',
    '/internal/deleted-teams',
    `/emails/notification-preference/${user}`,
    '/email-templates',
    '/internal/email-templates/magic_link/versions/de-DE',
    '/internal/api-keys',
    '/webhooks/endpoints',
    `/user-api-keys?user_id=${user}`,
  ];
  const bodies = await Promise.all(paths.map(async (path) => [path, await read(project, path)] as const));
  return Object.fromEntries(bodies);
}

const smtp = {
  type: 'standard',
  host: 'mail.example.com',
  port: 25,
  username: 'u',
  password: 'smtp canary',
  sender_name: 's',
  sender_email: 's@example.com',
};

/** Writes of each reversible kind. */
const reversible: readonly [string, (world: World) => Write | Promise<Write>][] = [
  ['a rename of a user', ({ user }) => patchUser(user, { display_name: 'Bob' })],
  ['an image', ({ user }) => patchUser(user, { profile_image_url: 'https://example.com/a.png' })],
  ['metadata', ({ user }) => patchUser(user, { client_metadata: { plan: 'pro' }, server_metadata: [1] })],
  [
    'a country and risk scores',
    ({ user }) => patchUser(user, { country_code: 'DE', risk_scores: { sign_up: { bot: 1, free_trial_abuse: 2 } } }),
  ],
  ['sign-in with email codes', ({ user }) => patchUser(user, { otp_auth_enabled: true })],
  ['a restriction', ({ user }) => patchUser(user, { restricted_by_admin: true, restricted_by_admin_reason: 'spam' })],
  [
    'the reason of a restriction',
    async ({ project, user }) => {
      await write(project, patchUser(user, { restricted_by_admin: true, restricted_by_admin_reason: 'spam' }));
      return patchUser(user, { restricted_by_admin: true, restricted_by_admin_reason: 'fraud' });
    },
  ],
  ['a selected team', ({ user, team }) => patchUser(user, { selected_team_id: team })],
  ['a new primary address', ({ user }) => patchUser(user, { primary_email: 'new@example.com' })],
  [
    'an email template in a language',
    () => ({
      method: 'PUT',
      path: '/internal/email-templates/magic_link/versions/de-DE',
      body: { subject: 'Anmelden', content: { root: { type: 'EmailLayout', data: { childrenIds: [] } } } },
    }),
  ],
  ['several fields at once', ({ user }) => patchUser(user, { display_name: 'Eve', client_metadata: 7 })],
  [
    'flags of a channel',
    ({ user, channel }) => ({
      method: 'PATCH',
      path: `/contact-channels/${user}/${channel}`,
      body: { is_verified: false, used_for_auth: false },
    }),
  ],
  [
    'another primary channel',
    ({ user, other }) => ({
      method: 'PATCH',
      path: `/contact-channels/${user}/${other}`,
      body: { is_primary: true },
    }),
  ],
  ['a removed channel', ({ user, other }) => ({ method: 'DELETE', path: `/contact-channels/${user}/${other}` })],
  [
    'a removed primary channel',
    ({ user, channel }) => ({
      method: 'DELETE',
      path: `/contact-channels/${user}/${channel}`,
    }),
  ],
  ['a revoked permission', ({ user }) => ({ method: 'DELETE', path: `/project-permissions/${user}/edit` })],
  ['a granted permission', ({ user }) => ({ method: 'POST', path: `/project-permissions/${user}/read`, body: {} })],
  [
    'a notification preference',
    ({ user }) => ({
      method: 'PATCH',
      path: `/emails/notification-preference/${user}/${notificationCategories.marketing.id}`,
      body: { enabled: false },
    }),
  ],
  ['a scheduled deletion', ({ user }) => ({ method: 'DELETE', path: `/users/${user}` })],
  [
    'a change of a team',
    ({ team }) => ({
      method: 'PATCH',
      path: `/teams/${team}`,
      body: { display_name: 'Band', client_metadata: { a: 1 }, profile_image_url: 'https://example.com/t.png' },
    }),
  ],
  ['a scheduled deletion of a team', ({ team }) => ({ method: 'DELETE', path: `/teams/${team}` })],
  ['a removed member', ({ team, user }) => ({ method: 'DELETE', path: `/team-memberships/${team}/${user}` })],
  [
    'a member profile',
    ({ team, user }) => ({
      method: 'PATCH',
      path: `/team-member-profiles/${team}/${user}`,
      body: { display_name: 'Captain' },
    }),
  ],
  [
    'a revoked team permission',
    ({ team, user }) => ({
      method: 'DELETE',
      path: `/team-permissions/${team}/${user}/billing`,
    }),
  ],
  [
    'project details and configuration',
    () => ({
      method: 'PATCH',
      path: '/internal/projects/current',
      body: {
        display_name: 'Shop',
        description: 'x',
        config: {
          sign_up_enabled: false,
          domains: [{ domain: 'https://shop.example.com', handler_path: '/handler' }],
          oauth_providers: [
            { id: 'github', type: 'standard', client_id: 'id', client_secret: 'client canary' },
            { id: 'google', type: 'shared' },
          ],
          email_config: smtp,
        },
      },
    }),
  ],
  [
    'project settings',
    () => ({
      method: 'PATCH',
      path: '/internal/projects/current/settings',
      body: {
        ...{ keyless_clients_allowed: false, quotas: { domains: 5 }, rejection_retention_days: 7 },
        ...{ session_lifetime_hours: 12, access_token_lifetime_seconds: 120, min_password_length: 12 },
      },
    }),
  ],
  [
    'a configuration document',
    () => ({
      method: 'PATCH',
      path: '/internal/config/override/environment',
      body: { config_override_string: JSON.stringify({ 'teams.allowClientTeamCreation': true }) },
    }),
  ],
  [
    'a new permission definition',
    () => ({
      method: 'POST',
      path: '/team-permission-definitions',
      body: { id: 'export', contained_permission_ids: ['billing'] },
    }),
  ],
  [
    'a renamed permission definition',
    () => ({
      method: 'PATCH',
      path: '/project-permission-definitions/read',
      body: { id: 'view', description: 'y' },
    }),
  ],
  [
    'what a permission contains',
    () => ({
      method: 'PATCH',
      path: '/project-permission-definitions/edit',
      body: { contained_permission_ids: [] },
    }),
  ],
  ['a deleted permission definition', () => ({ method: 'DELETE', path: '/project-permission-definitions/edit' })],
  ['a deleted default permission', () => ({ method: 'DELETE', path: '/team-permission-definitions/team_member' })],
  [
    'a lower role of a member',
    async ({ project }) => {
      const { userId } = await addMember(suite, project, 'developer');
      return { method: 'PUT', path: `/internal/projects/current/members/${userId}`, body: { role: 'support' } };
    },
  ],
  [
    'a removed member of the project',
    async ({ project }) => {
      const { userId } = await addMember(suite, project, 'developer');
      return { method: 'DELETE', path: `/internal/projects/current/members/${userId}` };
    },
  ],
  [
    'a removed owner',
    async ({ project }) => {
      const { userId } = await addMember(suite, project, 'owner');
      return { method: 'DELETE', path: `/internal/projects/current/members/${userId}` };
    },
  ],
  [
    'a member who became an owner',
    async ({ project }) => {
      const { userId } = await addMember(suite, project, 'developer');
      return { method: 'PUT', path: `/internal/projects/current/members/${userId}`, body: { role: 'owner' } };
    },
  ],
  [
    'where passwords of unknown users are checked',
    () => ({
      method: 'PUT',
      path: '/internal/projects/current/password-migration',
      body: { url: 'https://former.example.com/check' },
    }),
  ],
  [
    'the description of a project key',
    async ({ project }) => {
      const [{ id }] = (await read(project, '/internal/api-keys')).items;
      return { method: 'PATCH', path: `/internal/api-keys/${id}`, body: { description: 'renamed' } };
    },
  ],
  [
    'a webhook endpoint',
    async ({ project }) => {
      const body = { url: 'https://1.1.1.1/hook' };
      const { id } = (await write(project, { method: 'POST', path: '/webhooks/endpoints', body })).body;
      return { method: 'PATCH', path: `/webhooks/endpoints/${id}`, body: { description: 'x', is_enabled: false } };
    },
  ],
  ['an API key', ({ key }) => ({ method: 'PATCH', path: `/user-api-keys/${key}`, body: { description: 'renamed' } })],
];
/** Without times of writes, positions of deliveries, and what stays: revoked API keys, and the order of addresses. */
const steady = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (/^(last_active|last_used|joined|created|deleted|manually_revoked)_at_millis$|^(cursor|lag)$/.test(key))
        return undefined;
      if (key !== 'items') return inner;
      return inner.toSorted((one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    }),
  );

/** The types of events that the tests undid. */
const undoneTypes = new Set<string>();
/** Tests of the types whose undo needs other credentials, or which only an action of the operator consists of. */
const otherTests: Readonly<Record<string, string>> = {
  ProjectDeletionScheduled: '../projects/deleted-projects.test.ts',
  ProjectDeletionCanceled: '../projects/deleted-projects.test.ts',
  ProjectKeyExpiryChanged: '../../../../commands/src/undo/undo-action.test.ts',
};

describe('an undo', () => {
  test.each(reversible)(
    'check 24: of %s restores what was read before, and the undo of the undo what was read after',
    async (_name, toWrite) => {
      const world = await createWorld();
      const { project } = world;
      const reversibleWrite = await toWrite(world);
      const before = steady(await readAll(world));
      const done = await write(project, reversibleWrite);
      expect(done.status).toBeLessThan(300);
      const after = steady(await readAll(world));
      expect(after).not.toEqual(before);

      const undone = await undo(project, actionOf(done));
      expect(undone.body).toMatchObject({ undoes_action_id: actionOf(done), action_id: actionOf(undone) });
      expect(undone.status).toBe(200);
      expect(steady(await readAll(world))).toEqual(before);
      expectKnown(await undo(project, actionOf(done)), 409, 'ACTION_ALREADY_UNDONE', {
        by_action_id: actionOf(undone),
      });
      const action = await read(project, `/internal/actions/${actionOf(done)}`);
      expect(action.undo).toMatchObject({ state: 'undone', undone_by_action_id: actionOf(undone) });
      expect((await read(project, `/internal/actions/${actionOf(undone)}`)).undoes_action_id).toBe(actionOf(done));

      const redone = await undo(project, actionOf(undone));
      expect(redone.status).toBe(200);
      expect(steady(await readAll(world))).toEqual(after);
      for (const { text } of [done, undone, redone]) expect(text).not.toContain('hash');
      expect(undone.text).not.toContain('canary');
      for (const answer of [done, undone]) {
        const { events } = await read(project, `/internal/actions/${actionOf(answer)}`);
        for (const { type } of events) undoneTypes.add(type);
      }
    },
  );

  test('check 24: is tested for each type of event that can be undone', () => {
    const types = Object.keys(reversibility).filter(isReversible);
    const missing = types.filter((type) => !undoneTypes.has(type) && !(type in otherTests));
    expect(missing).toEqual([]);
    expect(Object.keys(otherTests).filter((type) => undoneTypes.has(type))).toEqual([]);
  });
});
