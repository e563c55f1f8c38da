import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { changeConfig, createProject, password, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const asAdmin = { ...project, access: 'admin' as const };
const asServer = { ...project, access: 'server' as const };
type Item = { id: string; type: string; outcome: string };

/** The list with technical events, and each event in detail and with its chain, as text. */
async function readEverything(query = '', language = 'en'): Promise<string> {
  const asReader = { ...asAdmin, headers: { 'accept-language': language } };
  const texts: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/internal/audit-events?include_technical=true&limit=200${query}${cursor && `&cursor=${cursor}`}`;
    const page = await send('GET', path, asReader);
    expect(page.status).toBe(200);
    texts.push(page.text);
    for (const { id, outcome } of page.body.items as Item[]) {
      const detail = await send('GET', `/internal/audit-events/${id}`, asReader);
      expect(detail.status).toBe(200);
      texts.push(detail.text);
      // A rejection neither caused anything nor was caused.
      if (outcome === 'rejected') continue;
      const chain = await send('GET', `/internal/audit-events/${id}/chain`, asReader);
      expect(chain.status).toBe(200);
      texts.push(chain.text);
    }
    cursor = page.body.pagination.next_cursor;
  }
  return texts.join('\n');
}

test('check 11: a deleted user’s data is gone from lists, details and histories, and what others did stays', async () => {
  const browser = { 'user-agent': 'Mozilla/5.0 canary-agent' };
  const ann = await signUp(send, { ...project, headers: browser }, 'canary-ann@example.com');
  const bob = await signUp(send, project);
  const asAnn = { ...project, as: ann.accessToken, headers: browser };
  await send('PATCH', '/users/me', {
    ...asAnn,
    body: { display_name: 'canary-name', client_metadata: { x: 'canary-value' } },
  });
  await send('POST', '/auth/password/sign-in', {
    ...project,
    headers: browser,
    body: { email: ann.email, password: 'wrong password' },
  });
  await send('PATCH', `/users/${ann.userId}`, { ...asServer, body: { server_metadata: { note: 'canary-note' } } });
  await send('PATCH', `/users/${bob.userId}`, { ...asServer, body: { display_name: 'Bob stays' } });
  const before = await readEverything(`&target_id=${ann.userId}`);
  for (const canary of ['canary-ann', 'canary-name', 'canary-value', 'canary-note', 'canary-agent']) {
    expect(before).toContain(canary);
  }
  const types = async () => {
    const answer = await send('GET', `/internal/audit-events?target_id=${ann.userId}&limit=200`, asAdmin);
    return (answer.body.items as Item[]).map(({ type }) => type).filter((type) => type !== 'CallRejected');
  };
  const typesBefore = await types();
  expect((await send('DELETE', `/users/${ann.userId}`, asServer)).status).toBe(200);
  const after = await readEverything();
  expect(after).not.toContain('canary');
  expect(after).toContain('Changed the display name to Bob stays');
  const inGerman = await readEverything('', 'de');
  expect(inGerman).not.toContain('canary');
  expect(inGerman).toContain('Anzeigename in „Bob stays“ geändert');
  const history = await send('GET', `/internal/users/${ann.userId}/history`, asAdmin);
  expect(history.text).not.toContain('canary');
  const headers = { 'accept-language': 'de' };
  const germanHistory = await send('GET', `/internal/users/${ann.userId}/history`, { ...asAdmin, headers });
  expect(germanHistory.text).not.toContain('canary');
  expect(germanHistory.text).toContain('Anzeigename geändert');
  expect(history.body.items.map(({ type }: Item) => type)).toContain('UserRenamed');
  expect(await types()).toEqual(['UserDeleted', ...typesBefore]);
  const { items } = (await send('GET', `/internal/audit-events?target_id=${ann.userId}&type=UserRenamed`, asAdmin))
    .body;
  expect(items).toMatchObject([
    {
      text: 'Changed the display name',
      actor: { kind: 'user', id: ann.userId, display_name: null, is_erased: true },
      targets: [{ type: 'user', id: ann.userId, display_name: null, is_erased: true }],
      origin: null,
    },
  ]);
  await api.deps.eraseSubject(ann.userId);
  expect(await readEverything()).not.toContain('canary');
});

test('check 7: secrets are in no list, no detail, no chain and no preview', async () => {
  const canary = `canary-${randomBytes(8).toString('hex')}`;
  const ann = await signUp(send, project);
  const asAnn = { ...project, as: ann.accessToken };
  const changed = await send('POST', '/auth/password/update', {
    ...asAnn,
    headers: { 'x-stack-refresh-token': ann.refreshToken },
    body: { old_password: password, new_password: canary },
  });
  expect(changed.status).toBe(200);
  const secret = randomBytes(20).toString('base64');
  await send('PATCH', `/users/${ann.userId}`, { ...asServer, body: { totp_secret_base64: secret } });
  const provider = { id: 'google', type: 'standard', client_id: 'public', client_secret: `${canary}-oauth` };
  expect((await changeConfig(send, project, { oauth_providers: [provider] })).status).toBe(200);
  const mail = { host: 'mail.example.com', port: 25, username: 'u', sender_name: 'S', sender_email: 's@example.com' };
  const email_config = { type: 'standard', ...mail, password: `${canary}-smtp` };
  expect((await changeConfig(send, project, { email_config })).status).toBe(200);
  const key = await send('POST', '/user-api-keys', {
    ...asServer,
    body: { user_id: ann.userId, description: 'key', expires_at_millis: null },
  });
  await send('POST', '/auth/otp/send-sign-in-code', {
    ...project,
    body: { email: ann.email, callback_url: 'http://localhost/code' },
  });
  const { events } = await api.deps.store.readStream(`user-${ann.userId}`);
  const hashes = events.flatMap(({ data }) => (typeof data.passwordHash === 'string' ? data.passwordHash : []));
  expect(hashes).toHaveLength(2);
  const previews = await Promise.all(
    [
      { path: `/users/${ann.userId}`, body: { password: `${canary}-previewed`, totp_secret_base64: secret } },
      { path: '/internal/projects/current', body: { config: { oauth_providers: [provider], email_config } } },
    ].map((previewed) => send('POST', '/internal/previews', { ...asAdmin, body: { method: 'PATCH', ...previewed } })),
  );
  expect(previews.map(({ status, body }) => [status, body.status])).toEqual([
    [200, 200],
    [200, 200],
  ]);
  const everything = [await readEverything(), ...previews.map(({ text }) => text)].join('\n');
  expect(everything).toContain('config.oauth_providers.google.client_secret');
  expect(everything).toContain('config.email_config.password');
  const secrets = [canary, secret, ann.refreshToken, ...hashes, ...Object.values(project.keys), key.body.value];
  for (const value of secrets.filter((value) => typeof value === 'string')) expect(everything).not.toContain(value);
  const all = await api.deps.store.readAll(0n, 10_000);
  for (const { type, data } of all.filter(({ type }) =>
    ['CodeIssued', 'EmailRequested', 'SessionStarted'].includes(type),
  )) {
    for (const field of ['codeHash', 'refreshTokenHash', 'callbackUrl']) {
      if (typeof data[field] === 'string') expect(everything, type).not.toContain(data[field]);
    }
  }
});
