import { quotaWireNames } from '@gatebook/contract/quota-names';
import { type QuotaName, quotaNames, quotaRules } from '@gatebook/domain/project/quotas';
import { beforeEach, describe, expect, test } from 'vitest';
import { mailTo } from '../testing/mailbox.ts';
import { newPerson, projectsOf } from '../testing/oauth.ts';
import {
  type Answer,
  changeConfig,
  createProject,
  newEmail,
  type OwnedProject,
  password,
  type SignedIn,
  signUp,
} from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

let project: OwnedProject;
let user: SignedIn;

const { api, send } = await startSuite();
beforeEach(async () => {
  project = await createProject(send, {
    config: { client_team_creation_enabled: true, allow_user_api_keys: true, allow_team_api_keys: true },
  });
  user = await signUp(send, project);
});

const settings = '/internal/projects/current/settings';
const asAdmin = () => ({ ...project, access: 'admin' }) as const;
const asServer = () => ({ ...project, access: 'server' }) as const;
const asUser = () => ({ ...project, as: user.accessToken });
const setQuota = async (name: QuotaName, limit: number) => {
  const body = { quotas: { [quotaWireNames[name]]: limit } };
  expect((await send('PATCH', settings, { ...asAdmin(), body })).status).toBe(200);
};
function expectExceeded(answer: Answer, name: QuotaName, limit: number): void {
  expect({ status: answer.status, code: answer.headers['x-stack-known-error'] }).toEqual({
    status: 400,
    code: undefined,
  });
  expect(answer.text).toContain(`The limit of ${limit} ${quotaRules[name].things} is reached.`);
}

const newTeam = () => send('POST', '/teams', { ...asUser(), body: { display_name: 'Crew' } });
const newUserKey = () =>
  send('POST', '/user-api-keys', {
    ...asUser(),
    body: { description: 'key', expires_at_millis: null, user_id: 'me' },
  });
const newChannel = (call = asUser(), userId = 'me') =>
  send('POST', '/contact-channels', {
    ...call,
    body: { user_id: userId, type: 'email', value: newEmail(), used_for_auth: false },
  });

describe('settings', () => {
  test('show every quota, accept changes one by one, and null for the default', async () => {
    const defaults = Object.fromEntries(quotaNames.map((name) => [quotaWireNames[name], quotaRules[name].standard]));
    expect((await send('GET', settings, asAdmin())).body.quotas).toEqual(defaults);
    await setQuota('teamsPerUser', 3);
    await setQuota('domains', 7);
    expect((await send('GET', settings, asAdmin())).body.quotas).toEqual({
      ...defaults,
      teams_per_user: 3,
      domains: 7,
    });
    const body = { quotas: { teams_per_user: null } };
    expect((await send('PATCH', settings, { ...asAdmin(), body })).body.quotas.teams_per_user).toBe(100);
    expect((await send('GET', settings, asAdmin())).body.quotas.domains).toBe(7);
  });

  test.each(quotaNames)('%s is rejected beyond its ceiling and below one', async (name) => {
    for (const limit of [quotaRules[name].most + 1, 0, 1.5, 'many']) {
      const body = { quotas: { [quotaWireNames[name]]: limit } };
      expect((await send('PATCH', settings, { ...asAdmin(), body })).body.code).toBe('SCHEMA_ERROR');
    }
  });
});

describe('one client can only create a limited number of', () => {
  test('teams; deleting one allows another', async () => {
    await setQuota('teamsPerUser', 2);
    const { id } = (await newTeam()).body;
    expect((await newTeam()).status).toBe(201);
    expectExceeded(await newTeam(), 'teamsPerUser', 2);
    expect((await send('DELETE', `/teams/${id}`, asServer())).status).toBe(200);
    expect((await newTeam()).status).toBe(201);
    expectExceeded(await newTeam(), 'teamsPerUser', 2);
  });

  test('teams concurrently', async () => {
    await setQuota('teamsPerUser', 3);
    const answers = await Promise.all(Array.from({ length: 8 }, newTeam));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 400, 400, 400, 400, 400]);
  });

  test('API keys of a user; revoking one allows another', async () => {
    await setQuota('apiKeysPerUser', 1);
    const { id } = (await newUserKey()).body;
    expectExceeded(await newUserKey(), 'apiKeysPerUser', 1);
    await send('PATCH', `/user-api-keys/${id}`, { ...asUser(), body: { revoked: true } });
    expect((await newUserKey()).status).toBe(200);
  });

  test('API keys of a team, no matter which member creates them', async () => {
    await setQuota('apiKeysPerTeam', 1);
    const team_id = (await newTeam()).body.id;
    const body = { description: 'key', expires_at_millis: null, team_id };
    expect((await send('POST', '/team-api-keys', { ...asUser(), body })).status).toBe(200);
    expectExceeded(await send('POST', '/team-api-keys', { ...asUser(), body }), 'apiKeysPerTeam', 1);
  });

  test('email addresses', async () => {
    await setQuota('contactChannelsPerUser', 2);
    expect((await newChannel()).status).toBe(201);
    expectExceeded(await newChannel(), 'contactChannelsPerUser', 2);
  });

  test('connected accounts', async () => {
    const shop = await projectsOf(api)();
    const asShop = { ...shop.project, access: 'admin' } as const;
    const ann = newPerson();
    const { access_token: as } = await shop.signIn('github', ann);
    const body = { quotas: { provider_accounts_per_user: 1 } };
    expect((await send('PATCH', settings, { ...asShop, body })).status).toBe(200);
    // Where the account would be connected: at the return from the provider, or when the app redeems the code.
    const back = await shop.comeBack('apple', await shop.begin('apple'), { ...ann, accountId: 'another' });
    const code = new URL(String(back.headers.location ?? 'http://localhost/')).searchParams.get('code');
    expectExceeded(code === null ? back : await shop.redeem(code), 'providerAccountsPerUser', 1);
    const { oauth_providers } = (await send('GET', '/users/me', { ...shop.project, as })).body;
    expect(oauth_providers).toHaveLength(1);
    await shop.signIn('github', ann);
  });

  test('memberships by invitation; the invitation stays valid', async () => {
    await setQuota('membershipsPerUser', 1);
    const invite = async () => {
      const team = (await send('POST', '/teams', { ...asServer(), body: { display_name: 'Crew' } })).body;
      const body = { team_id: team.id, email: user.email, callback_url: 'http://localhost/join' };
      expect((await send('POST', '/team-invitations/send-code', { ...asServer(), body })).status).toBe(200);
      return (await mailTo(api, user.email)).code;
    };
    const invitations = [await invite(), await invite()];
    const accept = (code: string | undefined) =>
      send('POST', '/team-invitations/accept', { ...asUser(), body: { code } });
    expect((await accept(invitations[0])).status).toBe(200);
    expectExceeded(await accept(invitations[1]), 'membershipsPerUser', 1);
    await setQuota('membershipsPerUser', 2);
    expect((await accept(invitations[1])).status).toBe(200);
  });

  test('sessions; the least recently used one ends', async () => {
    await setQuota('sessionsPerUser', 2);
    const signIn = async () =>
      (await send('POST', '/auth/password/sign-in', { ...project, body: { email: user.email, password } })).body;
    const second = await signIn();
    const third = await signIn();
    const works = async (refresh: string) =>
      (
        await send('POST', '/auth/sessions/current/refresh', {
          ...project,
          headers: { 'x-stack-refresh-token': refresh },
        })
      ).status;
    expect(await works(user.refreshToken)).toBe(401);
    expect(await works(second.refresh_token)).toBe(200);
    expect(await works(third.refresh_token)).toBe(200);
    const { items } = (await send('GET', '/auth/sessions?user_id=me', { ...project, as: third.access_token })).body;
    expect(items).toHaveLength(2);
    const history = await send('GET', `/internal/users/${user.userId}/history`, asAdmin());
    expect(JSON.stringify(history.body)).toContain('too many sessions');
  });
});

describe('owners can only create a limited number of', () => {
  test('key sets', async () => {
    await setQuota('projectKeys', 2);
    const create = () =>
      send('POST', '/internal/api-keys', {
        ...asAdmin(),
        body: {
          description: 'key',
          expires_at_millis: Date.parse('2099-01-01'),
          has_publishable_client_key: true,
          has_secret_server_key: false,
          has_super_secret_admin_key: false,
        },
      });
    expect((await create()).status).toBe(200);
    expectExceeded(await create(), 'projectKeys', 2);
  });

  test('trusted domains; existing ones can stay when the quota is lowered', async () => {
    const domains = (count: number) =>
      changeConfig(send, project, {
        domains: Array.from({ length: count }, (_, index) => ({
          domain: `https://app${index}.example.com`,
          handler_path: '/handler',
        })),
      });
    expect((await domains(3)).status).toBe(200);
    await setQuota('domains', 2);
    expect((await changeConfig(send, project, { sign_up_enabled: false })).status).toBe(200);
    expectExceeded(await domains(4), 'domains', 2);
    expect((await domains(2)).status).toBe(200);
    expectExceeded(await domains(3), 'domains', 2);
  });

  test('permission definitions', async () => {
    await setQuota('permissionDefinitions', 3);
    const define = (scope: string, id: string) =>
      send('POST', `/${scope}-permission-definitions`, { ...asAdmin(), body: { id } });
    expect((await define('team', 'one')).status).toBe(201);
    expectExceeded(await define('team', 'two'), 'permissionDefinitions', 3);
    expectExceeded(await define('project', 'two'), 'permissionDefinitions', 3);
  });

  test('projects', async () => {
    const internal = { access: 'admin' } as const;
    const quotas = (limit: number | null) =>
      send('PATCH', settings, { ...internal, body: { quotas: { projects_per_owner: limit } } });
    await quotas(1);
    const create = () =>
      send('POST', '/internal/projects', { as: project.owner.accessToken, body: { display_name: 'App' } });
    const answer = await create();
    await quotas(null);
    expectExceeded(answer, 'projectsPerOwner', 1);
    expect((await create()).status).toBe(201);
  });
});

test('creations by a server are neither limited nor counted', async () => {
  for (const name of ['teamsPerUser', 'apiKeysPerUser', 'contactChannelsPerUser'] as const) await setQuota(name, 1);
  const { userId } = user;
  const teams = () =>
    send('POST', '/teams', { ...asServer(), body: { display_name: 'Crew', creator_user_id: userId } });
  const key = { description: 'key', expires_at_millis: null, user_id: userId };
  const keys = () => send('POST', '/user-api-keys', { ...asServer(), body: key });
  for (const create of [teams, keys, () => newChannel({ ...asServer(), as: user.accessToken }, userId)]) {
    for (let count = 0; count < 2; count += 1) expect((await create()).status).toBeLessThan(300);
  }
  expect((await newTeam()).status).toBe(201);
  expect((await newUserKey()).status).toBe(200);
});
