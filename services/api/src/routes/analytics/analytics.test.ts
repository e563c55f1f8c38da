import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { clientWrites } from '../../http/limit-rules.ts';
import { createProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite({ rateLimits: true });
const project = await createProject(send);
const { accessToken } = await signUp(send, project);

/** The text of a click is cut after 200 UTF-16 code units, which can leave half a surrogate pair. */
const batch = JSON.stringify({
  batch_id: '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e',
  events: [{ event_type: '$click', event_at_ms: 1, data: { text: 'a'.repeat(199) + '\u{1F600}'.slice(0, 1) } }],
});

const post = (payload: string | Buffer, type: string, token: object) =>
  api.app.inject({
    method: 'POST',
    url: '/api/v1/analytics/events/batch',
    headers: {
      'x-hexclave-access-type': 'client',
      'x-hexclave-project-id': project.projectId,
      'x-hexclave-publishable-client-key': project.keys.client,
      'content-type': type,
      ...token,
    },
    payload,
  });

test('a batch of analytics events is accepted as JSON and gzip, with and without a user, and dropped', async () => {
  const before = await api.deps.store.head();
  for (const token of [{}, { 'x-hexclave-access-token': accessToken }]) {
    for (const answer of [
      await post(batch, 'application/json', token),
      await post(gzipSync(batch), 'application/octet-stream', token),
    ]) {
      expect([answer.statusCode, answer.json()]).toEqual([200, { inserted: 0 }]);
    }
  }
  expect(await api.deps.store.head()).toBe(before);
});

test('batches do not use up the limit of the user’s writes', async () => {
  const max = Math.max(...clientWrites.filter(({ counts }) => counts === 'requests').map((rule) => rule.max));
  for (let sent = 0; sent <= max; sent += 1) {
    expect((await post('{}', 'application/json', { 'x-hexclave-access-token': accessToken })).statusCode).toBe(200);
  }
  const rename = { ...project, as: accessToken, body: { display_name: 'Ann' } };
  expect((await send('PATCH', '/users/me', rename)).status).toBe(200);
});
