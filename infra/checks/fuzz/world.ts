import { internalKeys } from '../../testing/product.ts';
import type { Known } from './sample.ts';

export type AccessType = 'client' | 'server' | 'admin';
export const accessTypes: readonly AccessType[] = ['client', 'server', 'admin'];
export const keyHeaders = {
  client: 'x-stack-publishable-client-key',
  server: 'x-stack-secret-server-key',
  admin: 'x-stack-super-secret-admin-key',
} as const;

/** A project with everything in it that requests can be about. */
export type World = {
  projectId: string;
  keys: Readonly<Record<AccessType, string>>;
  userTokens: readonly string[];
  refreshTokens: readonly string[];
  known: Known;
};

type Answer = Record<string, never> & Record<string, string>;
type Caller = { projectId: string; access: AccessType; key: string; token?: string };

/** @throws Error with the answer when one of its calls is rejected */
export async function makeWorld(url: string, name: string): Promise<World> {
  const internal: Caller = { projectId: 'internal', access: 'server', key: internalKeys.server };
  const call = async (caller: Caller, method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-stack-project-id': caller.projectId,
        'x-stack-access-type': caller.access,
        [keyHeaders[caller.access]]: caller.key,
        'x-stack-access-token': caller.token ?? '',
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const owner = await call(internal, 'POST', '/users', { primary_email: `${name}@example.com` });
  const { access_token: token } = await call(internal, 'POST', '/auth/sessions', { user_id: owner.id });
  const asOwner: Caller = {
    projectId: 'internal',
    access: 'client',
    key: internalKeys.client,
    token: token ?? '',
  };
  const { id: projectId = '' } = await call(asOwner, 'POST', '/internal/projects', {
    display_name: name,
    config: {
      magic_link_enabled: true,
      passkey_enabled: true,
      client_team_creation_enabled: true,
      allow_user_api_keys: true,
      allow_team_api_keys: true,
      client_user_deletion_enabled: true,
    },
  });
  const makeKeys = async () => {
    const answer = await fetch(`${url}/api/v1/internal/api-keys`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-stack-project-id': projectId,
        'x-stack-access-type': 'admin',
        'x-stack-admin-access-token': token ?? '',
      },
      body: JSON.stringify({
        description: 'fuzz',
        expires_at_millis: Date.now() + 86_400_000,
        has_publishable_client_key: true,
        has_secret_server_key: true,
        has_super_secret_admin_key: true,
      }),
    });
    if (!answer.ok) throw new Error(`project keys: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const used = await makeKeys();
  // Requests may name the id of this set, and revoke it: those of the run are another one's.
  const named = await makeKeys();
  const keys = {
    client: used.publishable_client_key ?? '',
    server: used.secret_server_key ?? '',
    admin: used.super_secret_admin_key ?? '',
  };
  const admin: Caller = { projectId, access: 'admin', key: keys.admin };

  const users: Answer[] = [];
  const sessions: Answer[] = [];
  for (let count = 0; count < 3; count += 1) {
    const user = await call(admin, 'POST', '/users', {
      primary_email: `user-${count}@example.com`,
      primary_email_auth_enabled: true,
      primary_email_verified: count === 0,
      password: 'correct horse battery',
      display_name: `User ${count}`,
    });
    users.push(user);
    sessions.push(await call(admin, 'POST', '/auth/sessions', { user_id: user.id }));
  }
  const user_id = users[0]?.id ?? '';
  const team = await call(admin, 'POST', '/teams', { display_name: 'Team', creator_user_id: user_id });
  const listed = async (path: string) => {
    const { items } = (await call(admin, 'GET', path)) as unknown as { items: readonly { id: string }[] };
    return items.map(({ id }) => id);
  };
  const newKey = { description: 'key', expires_at_millis: null };
  const userKey = await call(admin, 'POST', '/user-api-keys', { ...newKey, user_id });
  const teamKey = await call(admin, 'POST', '/team-api-keys', { ...newKey, team_id: team.id });
  await call(admin, 'POST', '/project-permission-definitions', { id: 'read_reports' });
  const userIds = users.map(({ id = '' }) => id);
  const known = {
    user_id: [...userIds, 'me'],
    creator_user_id: [...userIds, 'me'],
    team_id: [team.id ?? ''],
    selected_team_id: [team.id ?? ''],
    channel_id: await listed(`/contact-channels?user_id=${user_id}`),
    session_id: await listed(`/auth/sessions?user_id=${user_id}`),
    api_key_id: [userKey.id ?? '', teamKey.id ?? ''],
    api_key: [userKey.value ?? '', teamKey.value ?? ''],
    key_id: [named.id ?? ''],
    permission_id: ['team_admin', 'team_member', 'read_reports', '$update_team'],
    project_id: [projectId, 'internal'],
    provider: ['google', 'github'],
    type: ['magic_link', 'password_reset', 'email', 'standard', 'shared'],
    client_id: [projectId],
    client_secret: [keys.client],
    refresh_token: sessions.map(({ refresh_token = '' }) => refresh_token),
    cursor: userIds,
    email: ['user-0@example.com', 'user-1@example.com'],
    primary_email: ['user-2@example.com'],
    version_id: ['main_g1', 'metrics_g1'],
  };
  return {
    projectId,
    keys,
    userTokens: sessions.map(({ access_token = '' }) => access_token),
    refreshTokens: known.refresh_token,
    known,
  };
}
