import { expect, test } from 'vitest';
import type { Part } from '../../testing/parts.ts';
import { asServer, password, send } from './requests.ts';
import { inTurn, type World } from './world.ts';

/** No API serves from memory what was changed at the other one. */
export function testStaleMemory(world: World): void {
  /** Signs a user up, with an API key, and fills the caches of both APIs with all of it. */
  async function signUpHotUser(email: string) {
    const signedUp = await send(world.apis[0], 'POST', '/auth/password/sign-up', {
      body: { email, password, verification_callback_url: 'http://localhost:8102/handler/email-verification' },
    });
    const as = String(signedUp.body.access_token);
    const made = await send(world.apis[0], 'POST', '/user-api-keys', {
      as,
      body: { user_id: 'me', description: 'hot', expires_at_millis: null },
    });
    const user = {
      as,
      refreshToken: String(signedUp.body.refresh_token),
      keyId: String(made.body.id),
      isSignedIn: async (api: Part) => (await send(api, 'GET', '/users/me', { as })).status === 200,
      name: async (api: Part) => (await send(api, 'GET', '/users/me', { as })).body.display_name,
      isKeyValid: async (api: Part) => {
        const body = { api_key: made.body.value };
        return (await send(api, 'POST', '/user-api-keys/check', asServer({ body }))).status === 200;
      },
    };
    for (const api of [...world.apis, ...world.apis]) {
      expect([await user.isSignedIn(api), await user.isKeyValid(api)]).toEqual([true, true]);
    }
    return user;
  }

  test('an API that was stopped during a change of a project does not serve its stale cache', async () => {
    const configOf = async (api: Part) => (await send(api, 'GET', '/projects/current')).body.config;
    // Fills the caches of both APIs.
    for (const api of world.apis) expect(await configOf(api)).toMatchObject({ client_team_creation_enabled: false });
    await world.apis[1].signal('SIGSTOP');
    try {
      const body = { config: { client_team_creation_enabled: true } };
      const changed = await send(world.apis[0], 'PATCH', '/internal/projects/current', { access: 'admin', body });
      expect(changed.status).toBe(200);
      const reading = configOf(world.apis[1]);
      await world.apis[1].signal('SIGCONT');
      expect(await reading).toMatchObject({ client_team_creation_enabled: true });
    } finally {
      await world.apis[1].signal('SIGCONT');
    }
  });

  test('an API that was stopped while a session and a key were revoked and a user renamed serves none of it from memory', async () => {
    const body = { config: { allow_user_api_keys: true } };
    await send(world.apis[0], 'PATCH', '/internal/projects/current', { access: 'admin', body });
    const [signedOut, revoked, renamed] = [
      await signUpHotUser('hot1@example.com'),
      await signUpHotUser('hot2@example.com'),
      await signUpHotUser('hot3@example.com'),
    ];
    await world.apis[1].signal('SIGSTOP');
    try {
      const answers = await Promise.all([
        send(world.apis[0], 'DELETE', '/auth/sessions/current', { as: signedOut.as }),
        send(world.apis[0], 'PATCH', `/user-api-keys/${revoked.keyId}`, asServer({ body: { revoked: true } })),
        send(world.apis[0], 'PATCH', '/users/me', { as: renamed.as, body: { display_name: 'renamed' } }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const reading = Promise.all([
        signedOut.isSignedIn(world.apis[1]),
        revoked.isKeyValid(world.apis[1]),
        renamed.name(world.apis[1]),
        send(world.apis[1], 'POST', '/auth/sessions/current/refresh', { refreshToken: signedOut.refreshToken }),
      ]);
      await world.apis[1].signal('SIGCONT');
      const [isSignedIn, isKeyValid, name, refreshed] = await reading;
      expect([isSignedIn, isKeyValid, name, refreshed.status]).toEqual([false, false, 'renamed', 401]);
    } finally {
      await world.apis[1].signal('SIGCONT');
    }
  });

  test('what is revoked at one API is rejected by the other at once, while an API is killed', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, (_, nth) => signUpHotUser(`revoked${nth}@example.com`)));
    const third = await world.installation.start('api');
    for (const user of users) expect(await user.isSignedIn(third)).toBe(true);
    for (const [nth, user] of users.entries()) {
      const [here, there] = inTurn(world.apis, nth);
      const killed = nth === 4 ? world.installation.kill(third) : undefined;
      const body = { revoked: true };
      expect((await send(here, 'PATCH', `/user-api-keys/${user.keyId}`, asServer({ body }))).status).toBe(200);
      expect(await user.isKeyValid(there)).toBe(false);
      expect((await send(here, 'DELETE', '/auth/sessions/current', { as: user.as })).status).toBe(200);
      expect(await user.isSignedIn(there)).toBe(false);
      await killed;
    }
  });
}
