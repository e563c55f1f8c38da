import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCounted } from './testing/counted-product.ts';

const times = 50;

let product: Awaited<ReturnType<typeof startCounted>>;
beforeAll(async () => {
  product = await startCounted();
});
afterAll(() => product?.close());

/** Statements that read rows or keys, per request; others belong to background work. */
async function statementsPer(request: () => Promise<unknown>): Promise<number> {
  product.statements.length = 0;
  for (let n = 0; n < times; n += 1) await request();
  const reads = product.statements.filter((text) => /^(main_|metrics_|log-read|log-revisions|signing)/.test(text));
  return reads.length / times;
}

test('a request of a user, session or API key that was used before reads nothing from the database', {
  timeout: 120_000,
}, async () => {
  const { send } = product;
  type SignedUp = { access_token: string; refresh_token: string };
  const verification_callback_url = 'http://localhost:8102/handler/email-verification';
  const { access_token, refresh_token } = await send<SignedUp>('POST', '/auth/password/sign-up', {
    body: { email: 'ann@example.com', password: 'correct horse battery staple', verification_callback_url },
  });
  await send('PATCH', '/internal/projects/current', {
    access: 'admin',
    body: { config: { allow_user_api_keys: true } },
  });
  const signedIn = { headers: { 'x-stack-access-token': access_token } };
  const { id } = await send<{ id: string }>('GET', '/users/me', signedIn);
  const { value } = await send<{ value: string }>('POST', '/user-api-keys', {
    ...signedIn,
    body: { user_id: id, description: 'a key', expires_at_millis: null },
  });

  const requests = {
    'users/me': () => send('GET', '/users/me', signedIn),
    refresh: () =>
      send('POST', '/auth/sessions/current/refresh', { headers: { 'x-stack-refresh-token': refresh_token } }),
    'check of an API key': () => send('POST', '/user-api-keys/check', { access: 'server', body: { api_key: value } }),
  };
  // The cache lease begins soon after the start. On a busy machine it can lapse in between.
  for (const [name, request] of Object.entries(requests)) {
    await expect.poll(() => statementsPer(request), { timeout: 60_000, message: name }).toBe(0);
  }
  // A write drops the row, which is then read once.
  const afterWrite = async () => {
    await send('PATCH', '/users/me', { ...signedIn, body: { display_name: 'Ann' } });
    await send('PATCH', '/users/me', { ...signedIn, body: { display_name: 'Bob' } });
    return statementsPer(requests['users/me']);
  };
  await expect.poll(afterWrite, { timeout: 60_000 }).toBe(1 / times);
});
