import { expect, test } from 'vitest';
import { createProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const maxBytes = 64 * 1024;
const megabyte = 1024 * 1024;
const image = `data:image/png;base64,${'A'.repeat(1_000_000 - 'data:image/png;base64,'.length)}`;
/** As many bytes of JSON, in one value and in many. */
const large = {
  'one text': 'x'.repeat(megabyte),
  'a list': Array.from({ length: megabyte / 64 }, (_, nth) => `${nth} ${'é'.repeat(32)}`),
  'many fields': Object.fromEntries(
    Array.from({ length: megabyte / 64 }, (_, nth) => [`field ${nth}`, 'x'.repeat(64)] as const),
  ),
};

test('CloudEvents stay below 64 KiB with an image of 1,000,000 characters and 1 MB of metadata (check 8)', async () => {
  const project = await createProject(send);
  const { userId } = await signUp(send, project);
  const asAdmin = (method: string, path: string, body?: unknown) =>
    send(method, path, { ...project, access: 'admin', ...(body !== undefined && { body }) });
  expect(image).toHaveLength(1_000_000);
  expect((await asAdmin('PATCH', `/users/${userId}`, { profile_image_url: image })).status).toBe(200);
  // More than the API accepts.
  const events = Object.values(large).map((value) => {
    expect(Buffer.byteLength(JSON.stringify(value))).toBeGreaterThan(megabyte);
    return { type: 'UserMetadataChanged', data: { userId, scope: 'server', value, at: '2026-01-15T12:00:00.000Z' } };
  });
  const stream = `user-${userId}`;
  const { revision } = await api.deps.store.readStream(stream);
  const ids = { requestId: 'large', correlationId: 'large', causationId: null };
  const actor = { kind: 'system', id: null } as const;
  const metadata = { projectId: project.projectId, actor, ...ids };
  await api.deps.store.append([{ stream, expected: revision, events }], metadata);
  expect((await asAdmin('PATCH', `/users/${userId}`, { profile_image_url: null })).status).toBe(200);

  const { text } = await asAdmin('GET', `/internal/audit-events/export?format=cloudevents&target_id=${userId}`);
  const lines = text.trim().split('\n').slice(0, -1);
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThan(maxBytes);
  const found = lines.map((line) => JSON.parse(line).data);
  const ofType = (type: string) => found.filter((event) => event.type === type);
  const digest = { bytes: image.length + 2, sha256: expect.any(String) };
  expect(ofType('UserImageChanged').map(({ changes }) => changes[0])).toMatchObject([
    { field: 'profile_image_url', before: null, after: digest },
    { field: 'profile_image_url', before: digest, after: null },
  ]);
  // Of many fields, not even the names fit into an event.
  expect(ofType('UserMetadataChanged').map((event) => event.is_truncated === true)).toEqual(
    Object.keys(large).map((name) => name === 'many fields'),
  );
});
