import { expect, test } from 'vitest';
import { createProject, expectKnown, expectPlain, expectSchemaError, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);

const admin = { access: 'admin' } as const;
const of = (id: string, what: string) => `/internal/operations/projection-versions/${id}/${what}`;
type Row = { id: string; group: string; state: string; is_standby: boolean; is_ready: boolean; error: string | null };
async function projectionVersions(group = 'main'): Promise<Row[]> {
  const { body } = await send('GET', '/internal/operations', admin);
  return body.projection_versions.filter((row: Row) => row.group === group);
}
const stateOf = async (id: string) => (await projectionVersions()).find((row) => row.id === id)?.state;

async function rebuilt(): Promise<string> {
  const asked = await send('POST', '/internal/operations/rebuilds', { ...admin, body: { group: 'main' } });
  expect(asked.status).toBe(200);
  const id = asked.body.version_id as string;
  await expect.poll(async () => (await projectionVersions()).find((row) => row.id === id)?.is_ready).toBe(true);
  return id;
}

test('an operator rebuilds, compares, promotes, rolls back and drops a projection version', async () => {
  const user = await signUp(send, project);
  const [first] = await projectionVersions();
  const id = await rebuilt();
  const again = await send('POST', '/internal/operations/rebuilds', { ...admin, body: { group: 'main' } });
  expect(again.body.version_id).toBe(id);
  expect(await projectionVersions()).toEqual([
    expect.objectContaining({ id: first?.id, state: 'live', is_standby: false, is_ready: true, error: null }),
    expect.objectContaining({ id, state: 'building', is_standby: true, is_ready: true, error: null }),
  ]);

  const same = await send('POST', of(id, 'compare'), admin);
  expect(same.body).toMatchObject({ live: first?.id, other: id, is_equal: true });
  await api.pool.query(`update ${id}.users set display_name = 'Eve' where id = $1`, [user.userId]);
  const compared = await send('POST', of(id, 'compare'), admin);
  expect(compared.body.is_equal).toBe(false);
  expect(compared.body.tables.find(({ table }: { table: string }) => table === 'users')).toMatchObject({
    only_live: 0,
    only_other: 0,
    changed: 1,
    first: [{ key: { id: user.userId }, how: 'changed', columns: ['sort_name', 'search_text', 'display_name'] }],
  });
  expect(compared.text).not.toContain('Eve');

  expect((await send('POST', of(id, 'promote'), admin)).body).toEqual({ success: true });
  const read = () => send('GET', '/users/me', { ...project, as: user.accessToken });
  await expect.poll(async () => (await read()).body.display_name).toBe('Eve');
  expectPlain(await send('DELETE', `/internal/operations/projection-versions/${id}`, admin), 409);
  expectPlain(await send('POST', of(id, 'compare'), admin), 409);

  expect((await send('POST', of(first?.id ?? '', 'promote'), admin)).status).toBe(200);
  await expect.poll(async () => (await read()).body.display_name).toBe(null);
  expect(await stateOf(id)).toBe('previous');
  expect((await send('DELETE', `/internal/operations/projection-versions/${id}`, admin)).body).toEqual({
    success: true,
  });
  expect(await projectionVersions()).toHaveLength(1);
});

test('impossible operations are rejected with a reason', async () => {
  for (const what of ['compare', 'promote']) expectPlain(await send('POST', of('main_g999', what), admin), 404);
  expectPlain(await send('DELETE', '/internal/operations/projection-versions/main_g999', admin), 404);
  expectSchemaError(await send('POST', of('x; drop schema log', 'promote'), admin), 'params.version_id');
  expectSchemaError(
    await send('POST', '/internal/operations/rebuilds', { ...admin, body: { group: 'all' } }),
    'body.group',
  );
  const id = await rebuilt();
  await api.pool.query(`update readmodel.projection_versions set ready_at = null where schema_name = $1`, [id]);
  expect((await send('POST', of(id, 'promote'), admin)).text).toContain('still being built');
  await api.pool.query(
    `with ready as (update readmodel.projection_versions set ready_at = now() where schema_name = $1 returning id)
     update readmodel.projection_shards set stopped_error = 'no' where version_id = (select id from ready)`,
    [id],
  );
  expect((await projectionVersions()).at(-1)).toMatchObject({ error: 'no' });
  expect((await send('POST', of(id, 'promote'), admin)).text).toContain('has stopped');
  await send('DELETE', `/internal/operations/projection-versions/${id}`, admin);
});

test('rebuilds are restricted to the owners of internal', async () => {
  const calls = [
    ['POST', '/internal/operations/rebuilds'],
    ['POST', of('main_g1', 'compare')],
    ['POST', of('main_g1', 'promote')],
    ['DELETE', '/internal/operations/projection-versions/main_g1'],
  ] as const;
  for (const [method, path] of calls) {
    const body = path.endsWith('rebuilds') ? { body: { group: 'main' } } : {};
    expectKnown(await send(method, path, { ...project, ...admin, ...body }), 401, 'EXPECTED_INTERNAL_PROJECT');
    const asServer = await send(method, path, { access: 'server', ...body });
    expect([asServer.status, asServer.body.code]).toEqual([401, 'INSUFFICIENT_ACCESS_TYPE']);
  }
  expect(await projectionVersions()).toHaveLength(1);
});
