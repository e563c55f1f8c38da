import type { AddressInfo } from 'node:net';
import { windowMs } from '@gatebook/readmodel/activity/rejection-counts';
import { pause } from '@gatebook/runtime/pause';
import { beforeAll, expect, test } from 'vitest';
import { createProject, expectSchemaError, type OwnedProject, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite({ trustedProxies: ['loopback'] });
await api.app.listen({ port: 0, host: '127.0.0.1' });
const { port } = api.app.server.address() as AddressInfo;

type Item = { id: string; type: string; count: number; action_id: string; targets: { type: string; id: string }[] };
let project: OwnedProject;
let ann: string;
let actionId: string;
/** Before and after all events. */
const range = { from_millis: '', until_millis: '' };
let values: Record<string, string> = {};

const asAdmin = (method: string, path: string, body?: unknown) =>
  send(method, path, { ...project, access: 'admin', ...(body !== undefined && { body }) });
const rename = (userId: string, name: string, from: string) =>
  send('PATCH', `/users/${userId}`, {
    ...{ ...project, access: 'server', body: { display_name: name } },
    headers: { 'x-forwarded-for': from },
  });

function reject(userId: string | null, network: string | null): void {
  const at = Date.now() - 12 * windowMs;
  api.deps.rejections.record({
    ...{ projectId: project.projectId, userId, code: 'EMAIL_PASSWORD_MISMATCH', route: 'POST /x', status: 400 },
    ...{ accessType: 'client', network, requestId: `request-${userId}-${network}`, actor: null, permission: null },
    ...{ isAccess: true, at: new Date(at).toISOString() },
  });
}

beforeAll(async () => {
  project = await createProject(send);
  const users = [await signUp(send, project), await signUp(send, project)];
  ann = users[0]?.userId ?? '';
  actionId = String((await rename(ann, 'Ann', '203.0.113.9')).headers['x-stack-request-id']);
  await rename(users[1]?.userId ?? '', 'Bo', '198.51.100.1');
  await asAdmin('POST', '/team-permission-definitions', { id: 'publish' });
  const { body: team } = await asAdmin('POST', '/teams', { display_name: 'Crew', creator_user_id: ann });
  await asAdmin('POST', `/team-permissions/${team.id}/${ann}/publish`, {});
  reject(ann, '203.0.113.0/24');
  reject(null, '198.51.100.0/24');
  reject(null, null);
  await api.deps.rejections.flush();
  // Exports of the test itself are events too, and later.
  await pause(5);
  Object.assign(range, { from_millis: String(Date.now() - 86_400_000), until_millis: String(Date.now()) });
  await pause(5);
  values = {
    ...{ type: 'UserRenamed,CallRejected', category: 'session', actor_kind: 'server', actor_id: ann },
    ...{ target_type: 'team', target_id: ann, action_id: actionId, ip: '203.0.113.0/24' },
  };
});

const pathOf = (part: string, query: Record<string, string>) =>
  `/internal/audit-events${part}?${new URLSearchParams({ ...range, ...query })}`;
const list = async (query: Record<string, string>): Promise<Item[]> =>
  (await asAdmin('GET', pathOf('', { limit: '200', ...query }))).body.items;
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id).toSorted();

async function exported(query: Record<string, string>): Promise<Item[]> {
  const { text } = await asAdmin('GET', pathOf('/export', query));
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined);
}

async function counted(query: Record<string, string>): Promise<number> {
  const { buckets } = (await asAdmin('GET', pathOf('/timeline', { ...query, buckets: '7' }))).body;
  return buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
}

/** All of a stream from the beginning, which is the end of an export that has no events. */
async function streamed(query: Record<string, string>, expected: number): Promise<Item[]> {
  const before = { ...range, ...query };
  const early = new URLSearchParams({ ...before, order: 'asc', limit: '1' });
  const first = (await asAdmin('GET', `/internal/audit-events?${early}`)).body;
  const after = first.pagination?.next_cursor;
  if (!after) return first.items;
  const stop = new AbortController();
  const response = await fetch(
    `http://127.0.0.1:${port}/api/v1/internal/audit-events/stream?${new URLSearchParams({ ...before, after })}`,
    {
      headers: {
        ...{ 'x-stack-access-type': 'admin', 'x-stack-project-id': project.projectId },
        'x-stack-super-secret-admin-key': project.keys.admin,
      },
      signal: stop.signal,
    },
  );
  let text = '';
  const items = () => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(String(data)) as Item);
  for await (const part of response.body ?? []) {
    text += Buffer.from(part).toString();
    if (items().length >= expected - 1) break;
  }
  stop.abort();
  return [...first.items, ...items()];
}

test.each(['type', 'category', 'actor_kind', 'actor_id', 'target_type', 'target_id', 'action_id', 'ip'])(
  'exclude_%s leaves out what the filter finds, in list, timeline, export and stream',
  async (name) => {
    const value = values[name] ?? '';
    const [all, found, rest] = [
      await list({}),
      await list({ [name]: value }),
      await list({ [`exclude_${name}`]: value }),
    ];
    expect(found.length).toBeGreaterThan(0);
    expect(rest.length).toBeGreaterThan(0);
    expect(idsOf([...found, ...rest])).toEqual(idsOf(all));
    const query = { [`exclude_${name}`]: value };
    expect(idsOf(await exported(query))).toEqual(idsOf(rest));
    expect(await counted(query)).toBe(rest.reduce((sum, { count }) => sum + count, 0));
    expect(idsOf(await streamed(query, rest.length))).toEqual(idsOf(rest));
  },
);

test('several exclusions leave out what any of them names, beside filters that find', async () => {
  const items = await list({
    exclude_actor_id: `${ann},${project.owner.userId}`,
    exclude_type: 'session.*,UserRenamed',
  });
  expect(items.filter(({ type }) => type === 'UserRenamed' || type.startsWith('Session'))).toEqual([]);
  expect(items.length).toBeGreaterThan(0);
  const renamed = await list({ type: 'UserRenamed', exclude_target_id: ann });
  expect(renamed.map(({ targets }) => targets[0]?.id)).toEqual([expect.not.stringContaining(ann)]);
  expect(await list({ type: 'UserRenamed', exclude_type: 'user.*' })).toEqual([]);
});

test('an exclusion of types does not add technical events', async () => {
  const [usual, rest] = [await list({ exclude_type: 'session.*' }), await list({ include_technical: 'true' })];
  expect(usual.filter((item) => (item as Item & { is_technical: boolean }).is_technical)).toEqual([]);
  expect(rest.length).toBeGreaterThanOrEqual(usual.length);
});

test('a permission is excluded by its ID or its key', async () => {
  const [created] = await list({ type: 'PermissionDefinitionCreated', target_type: 'permission' });
  const key = created?.targets[0]?.id ?? '';
  for (const id of ['publish', key]) {
    const items = await list({ exclude_target_id: id, category: 'permission' });
    expect(items.filter(({ targets }) => targets.some((target) => target.id === key))).toEqual([]);
  }
});

test('of rejected calls, those are left out whose whole network is excluded', async () => {
  const networks = async (excluded: string) => {
    const items = await list({ outcome: 'rejected', exclude_ip: excluded });
    return items.map((item) => (item as Item & { origin: { ip: string } | null }).origin?.ip ?? null);
  };
  expect(await networks('203.0.113.9')).toHaveLength(3);
  expect((await networks('203.0.0.0/16,2001:db8::/32')).toSorted()).toEqual(['198.51.100.0/24', null].toSorted());
});

test('an unknown type, category, kind or address is rejected', async () => {
  for (const [name, value] of [
    ['exclude_type', 'Nonsense'],
    ['exclude_category', 'nonsense'],
    ['exclude_actor_kind', 'nobody'],
    ['exclude_target_type', 'thing'],
    ['exclude_ip', '999.1.1.1'],
    ['exclude_actor_id', 'ann'],
  ] as const) {
    expectSchemaError(await asAdmin('GET', pathOf('', { [name]: value })), '');
  }
});
