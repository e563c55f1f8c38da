import { expect, test } from 'vitest';
import { type FakeAnswer, fakeNetwork, type SentRequest, tokenFor } from '../testing.ts';
import { GatebookOwnerApp } from './owner-app.ts';

const deleted = { id: 'p1', display_name: 'Shop', created_at_millis: 1, deleted_at_millis: 2, erased_at_millis: 3 };
const user = { id: 'u1', display_name: 'Ann', client_metadata: null, selected_team: null, oauth_providers: [] };

function answer({ url }: SentRequest): FakeAnswer {
  if (url.endsWith('/users/me')) return { json: user };
  return { json: url.endsWith('/deleted-projects') ? { items: [deleted] } : { success: true } };
}

test('an owner restores and erases deleted projects in their session', async () => {
  const { network, requests } = fakeNetwork(answer);
  const accessToken = tokenFor(600_000);
  const app = new GatebookOwnerApp({
    ...{ baseUrl: 'https://gate.test/', publishableClientKey: 'pck_1', redirectMethod: 'none' },
    tokenStore: { accessToken, refreshToken: 'r1' },
    parts: { network },
  });
  const owner = await app.getUser({ or: 'throw' });
  const [project] = await owner.listDeletedProjects();
  expect(project).toMatchObject({ id: 'p1', displayName: 'Shop', erasedAt: new Date(3) });
  await project?.restore();
  await project?.app.eraseProject();
  const writes = requests.filter(({ method }) => method === 'POST');
  expect(writes.map(({ url }) => new URL(url).pathname)).toEqual([
    '/api/v1/internal/projects/current/restore',
    '/api/v1/internal/projects/current/erase',
  ]);
  for (const { headers } of writes) {
    expect(headers).toMatchObject({ 'x-stack-project-id': 'p1', 'x-stack-admin-access-token': accessToken });
  }
});
