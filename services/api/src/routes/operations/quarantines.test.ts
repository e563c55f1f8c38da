import { listQuarantined } from '@gatebook/projections/quarantine/quarantine';
import { createRecord, testMetadata } from '@gatebook/projections/testing/test-log';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { expect, test } from 'vitest';
import { createProject, expectKnown, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const [broken, other] = [await createProject(send), await createProject(send)];
const admin = { access: 'admin' } as const;
const releasePath = (projectId: string) => `/internal/operations/quarantines/${projectId}/release`;

/** An event that the read models reject: Postgres stores no zero bytes. */
async function breakProject(): Promise<bigint> {
  const { projectId } = broken;
  const record = createRecord(api.deps.store, { ...testMetadata, projectId });
  const teamId = api.deps.newId();
  return record(`team-${teamId}`, {
    type: 'TeamCreated',
    data: {
      ...{ teamId, projectId, subjectId: teamId, displayName: 'a\u0000b', profileImageUrl: null, at },
      ...{ clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null, creatorId: null },
    },
  });
}

test('a quarantined project is stale at once and shown to operators, who can retry it; others are not affected', async () => {
  const user = await signUp(send, broken);
  const position = await breakProject();
  await expect
    .poll(async () => (await listQuarantined(api.pool)).map(({ projectId }) => projectId))
    .toEqual([broken.projectId]);
  const rename = (project: typeof broken, as: string) =>
    send('PATCH', '/users/me', { ...project, as, body: { display_name: 'Ann' } });

  const start = performance.now();
  const written = await rename(broken, user.accessToken);
  expect([written.status, written.headers['x-read-model']]).toEqual([200, 'behind']);
  const read = await send('GET', '/users/me', { ...broken, as: user.accessToken });
  expect([read.status, read.headers['x-read-model'], read.body.display_name]).toEqual([200, 'behind', null]);
  const stranger = await signUp(send, other);
  const unaffected = await rename(other, stranger.accessToken);
  expect([unaffected.status, unaffected.headers['x-read-model']]).toEqual([200, undefined]);
  expect((await send('GET', '/users/me', { ...other, as: stranger.accessToken })).body.display_name).toBe('Ann');
  expect(performance.now() - start).toBeLessThan(5_000);

  const { body } = await send('GET', '/internal/operations', admin);
  expect(body.quarantines).toEqual([
    {
      project_id: broken.projectId,
      subscription: 'main',
      projection_version: expect.stringMatching(/^main_g/),
      position: String(position),
      error: expect.stringContaining(`event TeamCreated at position ${position} cannot be applied`),
      since_millis: expect.any(Number),
      retry_at_millis: null,
    },
  ]);
  const ready = await api.app.inject('/health/ready');
  expect(ready.statusCode).toBe(200);
  expect(ready.json().problems).toEqual([
    {
      severity: 'warning',
      code: 'project_quarantined',
      part: null,
      message: expect.stringContaining('1 project: see the Operations page'),
    },
  ]);
  // Anyone can ask.
  expect(ready.body).not.toContain(broken.projectId);

  expect((await send('POST', releasePath(broken.projectId), admin)).body).toEqual({ success: true });
  await expect.poll(async () => (await listQuarantined(api.pool))[0]?.failures).toBe(2);
});

test('only owners of internal can release a project', async () => {
  const path = releasePath(broken.projectId);
  expectKnown(await send('POST', path, { ...broken, ...admin }), 401, 'EXPECTED_INTERNAL_PROJECT');
  const asServer = await send('POST', path, { access: 'server' });
  expect([asServer.status, asServer.body.code]).toEqual([401, 'INSUFFICIENT_ACCESS_TYPE']);
});
