import { type Attack, attack } from './attack.ts';
import { mustHold, mustReject } from './outcome.ts';
import { callbackUrl, newEmail, newPassword, type World } from './world.ts';

type Operation = { method: string; path: string; levels: readonly string[] };

/** Every operation of the OpenAPI document, with the keys it names; none for those open to anyone. */
async function operations({ origin }: World): Promise<Operation[]> {
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { security?: Record<string, unknown>[] }>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = [] }]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/g, '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e'),
      levels: security.flatMap((one) => ['client', 'server', 'admin'].filter((level) => level in one)),
    })),
  );
}

const closed = ['the publishable key of a closed `internal`', 'answered'] as const;

export const access: readonly Attack[] = [
  attack(
    'V1',
    'A stranger signs up anonymously at a closed internal project',
    async ({ origin, send, internalKeys }) => {
      const config = (await (await fetch(`${origin}/dashboard/config.json`)).json()) as {
        publishable_client_key?: string;
      };
      const keys = { ...internalKeys, client: config.publishable_client_key ?? internalKeys.client };
      mustReject(await send('POST', '/auth/anonymous/sign-up', { keys, body: {} }), closed.join(' '));
    },
  ),
  attack('V1', 'A stranger signs up by password or code at a closed internal project', async ({ send }) => {
    const [email, password] = [newEmail(), newPassword()];
    const body = { email, password, verification_callback_url: callbackUrl };
    mustReject(await send('POST', '/auth/password/sign-up', { body }), 'sign-up');
    mustReject(
      await send('POST', '/auth/otp/send-sign-in-code', { body: { email, callback_url: callbackUrl } }),
      'code',
    );
  }),
  attack('V1', 'An anonymous user of internal creates and lists projects', async ({ must, send }) => {
    const user = await must('POST', '/users', { access: 'server', body: { is_anonymous: true } });
    const { access_token: as } = await must('POST', '/auth/sessions', { access: 'server', body: { user_id: user.id } });
    mustReject(await send('POST', '/internal/projects', { as, body: { display_name: 'Mine' } }), 'project created');
    const list = await send('GET', '/internal/projects', { as });
    mustHold(list.status >= 400 || list.body.items.length === 0, 'projects were listed');
  }),
  attack('T8', 'Every operation of the API is called without credentials', async (world) => {
    for (const { method, path, levels } of await operations(world)) {
      if (levels.length === 0) continue;
      const init =
        method === 'GET' || method === 'DELETE' ? {} : { headers: { 'content-type': 'application/json' }, body: '{}' };
      const { status } = await fetch(`${world.origin}${path}`, { method, redirect: 'manual', ...init });
      mustHold(status >= 400 && status < 500, `${method} ${path} answered ${status}`);
    }
  }),
  attack('T9', 'Every operation for servers and administrators is called with the client key', async (world) => {
    for (const { method, path, levels } of await operations(world)) {
      if (levels.length === 0 || levels.includes('client') || !path.startsWith('/api/v1')) continue;
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      const { status, text } = await world.send(method, path.slice('/api/v1'.length), { ...world.a, ...body });
      mustHold(status === 401 || status === 403, `${method} ${path} answered ${status} ${text.slice(0, 80)}`);
    }
  }),
  attack('Z4', 'A server key is presented as a client key and as an administrator key', async ({ send, a }) => {
    const { client, server, admin } = a.keys;
    const asOther = { client: server, server: client, admin: server };
    mustReject(await send('GET', '/projects/current', { ...a, keys: asOther }), 'server key as client key');
    mustReject(
      await send('GET', '/internal/projects/current', { ...a, access: 'admin', keys: asOther }),
      'as admin key',
    );
    mustReject(
      await send('GET', '/users', { ...a, access: 'server', keys: { ...a.keys, server: admin } }),
      'admin as server',
    );
  }),
  attack('Z4', 'The keys of one project are used for another', async ({ send, a, b }) => {
    for (const level of ['client', 'server', 'admin'] as const) {
      const answer = await send('GET', level === 'client' ? '/projects/current' : '/users', {
        projectId: b.projectId,
        keys: a.keys,
        access: level,
      });
      mustReject(answer, `${level} key`);
    }
  }),
  attack(
    'T11',
    'A revoked project key and a revoked user API key are used',
    async ({ send, must, signUp, newProject }) => {
      const project = await newProject();
      const person = await signUp(project);
      const body = { user_id: 'me', description: 'k', expires_at_millis: null };
      const key = await must('POST', '/user-api-keys', { ...project, as: person.accessToken, body });
      const check = () =>
        send('POST', '/user-api-keys/check', { ...project, access: 'server', body: { api_key: key.value } });
      mustHold((await check()).status === 200, 'the key did not work before');
      await must('PATCH', `/user-api-keys/${key.id}`, { ...project, as: person.accessToken, body: { revoked: true } });
      const after = await check();
      mustHold(after.status >= 400, `revoked API key: ${after.status}`);
      const { items } = await must('GET', '/internal/api-keys', { ...project, access: 'admin' });
      const owner = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': project.ownerToken };
      await must('PATCH', `/internal/api-keys/${items[0].id}`, {
        ...project,
        access: 'admin',
        headers: owner,
        body: { revoked: true },
      });
      mustReject(await send('GET', '/users', { ...project, access: 'server' }), 'revoked server key');
    },
  ),
];
