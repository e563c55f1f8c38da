import { type Answer, changeSettings, createProject, newEmail, type OwnedProject, type Send } from './requests.ts';

export type Write = { method: string; path: string; body?: unknown };

export const patchUser = (user: string, body: object): Write => ({ method: 'PATCH', path: `/users/${user}`, body });
export const actionOf = (answer: Answer) => String(answer.headers['x-stack-request-id']);

/** What tests of previews and undo do with an admin key. */
export function actionsWith(send: Send) {
  const asAdmin = (project: OwnedProject) => ({ ...project, access: 'admin' as const });
  const write = (project: OwnedProject, { method, path, body }: Write, headers: Record<string, string> = {}) =>
    send(method, path, { ...asAdmin(project), headers, ...(body !== undefined && { body }) });
  /** As a client library that reads every field sends them. */
  const headers = { 'x-stack-client-version': 'js @stackframe/js@2.8.108' };
  const read = async (project: OwnedProject, path: string) =>
    (await send('GET', path, { ...asAdmin(project), headers })).body;
  const undo = (project: OwnedProject, actionId: string, headers: Record<string, string> = {}) =>
    send('POST', `/internal/actions/${actionId}/undo`, { ...asAdmin(project), headers });
  const requestPreview = (project: OwnedProject, body: Write) =>
    send('POST', '/internal/previews', { ...asAdmin(project), body });
  const preview = async (project: OwnedProject, body: Write) => (await requestPreview(project, body)).body;

  const createUser = async (project: OwnedProject, body: object = {}) =>
    (await write(project, { method: 'POST', path: '/users', body })).body.id as string;
  const createTeam = async (project: OwnedProject, body: object = {}) =>
    (await write(project, { method: 'POST', path: '/teams', body: { display_name: 'Crew', ...body } })).body
      .id as string;

  /** A project with one of each thing, and its IDs. */
  async function createWorld() {
    const project = await createProject(send, {
      config: { magic_link_enabled: true, allow_user_api_keys: true, allow_team_api_keys: true },
    });
    await changeSettings(send, project, { user_deletion_grace_days: 30, team_deletion_grace_days: 30 });
    const email = newEmail();
    const user = await createUser(project, {
      display_name: 'Ann',
      primary_email: email,
      primary_email_auth_enabled: true,
      primary_email_verified: true,
      client_metadata: { plan: 'free', seats: 1 },
    });
    const team = await createTeam(project, { creator_user_id: user });
    const definition = (path: string, id: string, contained: string[] = []) =>
      write(project, { method: 'POST', path, body: { id, description: id, contained_permission_ids: contained } });
    await definition('/project-permission-definitions', 'read');
    await definition('/project-permission-definitions', 'edit', ['read']);
    await definition('/team-permission-definitions', 'billing');
    await write(project, { method: 'POST', path: `/project-permissions/${user}/edit`, body: {} });
    await write(project, { method: 'POST', path: `/team-permissions/${team}/${user}/billing`, body: {} });
    const [channel] = (await read(project, `/contact-channels?user_id=${user}`)).items;
    const key = await write(project, {
      method: 'POST',
      path: '/user-api-keys',
      body: { user_id: user, description: 'key', expires_at_millis: null, is_public: false },
    });
    const other = await write(project, {
      method: 'POST',
      path: '/contact-channels',
      body: { user_id: user, type: 'email', value: newEmail(), used_for_auth: true, is_verified: true },
    });
    return { project, user, team, email, channel: channel.id, key: key.body.id, other: other.body.id };
  }

  return { asAdmin, write, read, undo, requestPreview, preview, createUser, createWorld };
}
export type World = Awaited<ReturnType<ReturnType<typeof actionsWith>['createWorld']>>;
