import { expect, test } from 'vitest';
import type { Part } from '../../testing/parts.ts';
import { type Answer, asServer, type Call, password, send } from './requests.ts';
import { inTurn, type World } from './world.ts';

export function testVisibleWrites(world: World): void {
  test('a write at one API is visible at the other API immediately', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [here, there] = inTurn(world.apis, round);
      const email = `ann${round}@example.com`;
      const signedUp = await send(here, 'POST', '/auth/password/sign-up', {
        body: { email, password, verification_callback_url: 'http://localhost:8102/handler/email-verification' },
      });
      expect(signedUp.status).toBe(200);
      const as = String(signedUp.body.access_token);
      expect((await send(there, 'GET', '/users/me', { as })).body.primary_email).toBe(email);
      await send(there, 'PATCH', '/users/me', { as, body: { display_name: `Ann ${round}` } });
      expect((await send(here, 'GET', '/users/me', { as })).body.display_name).toBe(`Ann ${round}`);
      expect((await send(there, 'DELETE', '/auth/sessions/current', { as })).status).toBe(200);
      expect((await send(here, 'GET', '/users/me', { as })).status).toBe(401);
    }
  });

  test('a change of a project, its keys or its configuration is visible at both APIs once it is acknowledged', async () => {
    const owner = await send(world.apis[0], 'POST', '/auth/password/sign-up', {
      body: { email: 'owner@example.com', password, verification_callback_url: 'http://localhost:8102/handler' },
    });
    const as = String(owner.body.access_token);
    for (let round = 0; round < 8; round += 1) {
      const [here, there] = inTurn(world.apis, round);
      const made = await send(here, 'POST', '/internal/projects', { as, body: { display_name: `project ${round}` } });
      const projectId = String(made.body.id);
      const listed = await send(there, 'GET', '/internal/projects', { as });
      expect((listed.body.items as { id: string }[]).map(({ id }) => id)).toContain(projectId);
      const sendAsOwner = async (api: Part, method: string, path: string, body: object): Promise<Answer> => {
        const answer = await send(api, method, path, { access: 'admin', projectId, adminToken: as, body });
        expect(answer.status).toBeLessThan(300);
        return answer;
      };
      const created = await sendAsOwner(there, 'POST', '/internal/api-keys', {
        description: 'a key',
        expires_at_millis: Date.parse('2099-01-01'),
        has_publishable_client_key: true,
        has_secret_server_key: true,
        has_super_secret_admin_key: false,
      });
      const client: Call = { projectId, key: String(created.body.publishable_client_key) };
      expect((await send(here, 'GET', '/projects/current', client)).body.display_name).toBe(`project ${round}`);
      expect((await send(there, 'GET', '/projects/current', client)).status).toBe(200);
      await sendAsOwner(here, 'PATCH', '/internal/projects/current', {
        config: { credential_enabled: false },
      });
      const config = (await send(there, 'GET', '/projects/current', client)).body.config;
      expect(config).toMatchObject({ credential_enabled: false });
      await sendAsOwner(there, 'PATCH', `/internal/api-keys/${created.body.id}`, { revoked: true });
      expect((await send(here, 'GET', '/projects/current', client)).status).toBe(401);
    }
  });

  test('a read of a stale write at the other API waits for it, and other reads do not', async () => {
    await Promise.all(world.projectors.map((part) => part.signal('SIGSTOP')));
    const reading = { answer: null as Answer | null, ended: Promise.resolve() };
    try {
      const made = await send(world.apis[0], 'POST', '/users', asServer({ body: { display_name: 'early' } }));
      expect(made.status).toBe(201);
      expect(made.headers.get('x-read-model')).toBe('behind');
      world.acknowledged.push(String(made.body.id));
      reading.ended = send(world.apis[1], 'GET', `/users/${made.body.id}`, asServer()).then((answer) => {
        reading.answer = answer;
      });
      expect((await send(world.apis[1], 'GET', '/users/me', { projectId: crypto.randomUUID() })).status).toBe(401);
      expect(reading.answer).toBeNull();
    } finally {
      await Promise.all(world.projectors.map((part) => part.signal('SIGCONT')));
    }
    await reading.ended;
    expect(reading.answer?.status).toBe(200);
    expect(reading.answer?.headers.get('x-read-model')).toBeNull();
  });
}
