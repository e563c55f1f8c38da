import type { Keys, Send } from './api-client.ts';

export type OwnedProject = { projectId: string; keys: Keys };

const DAY_MS = 86_400_000;

/** Creates a project with a key set, as an owner does in the dashboard. */
export async function createOwnedProject(send: Send, config: object = {}): Promise<OwnedProject> {
  const { body: owner } = await send('POST', '/users', { access: 'server', body: { display_name: 'Owner' } });
  const { body: session } = await send('POST', '/auth/sessions', { access: 'server', body: { user_id: owner.id } });
  const as = session.access_token;
  const { body: project } = await send('POST', '/internal/projects', { as, body: { display_name: 'App', config } });
  const { body: keySet } = await send('POST', '/internal/api-keys', {
    projectId: project.id,
    access: 'admin',
    headers: { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': as },
    body: {
      description: 'App',
      expires_at_millis: Date.now() + DAY_MS,
      has_publishable_client_key: true,
      has_secret_server_key: true,
      has_super_secret_admin_key: true,
    },
  });
  return {
    projectId: project.id,
    keys: {
      client: keySet.publishable_client_key,
      server: keySet.secret_server_key,
      admin: keySet.super_secret_admin_key,
    },
  };
}
