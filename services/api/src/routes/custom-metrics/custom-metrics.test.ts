import { beforeAll, describe, expect, test } from 'vitest';
import { createProject, expectKnown, expectSchemaError, type OwnedProject, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const shop = await createProject(send);
const path = '/internal/custom-metrics';
const call = (method: string, rest = '', body?: object, of: OwnedProject = shop) =>
  send(method, `${path}${rest}`, { ...of, access: 'admin', ...(body && { body }) });
const definition = {
  ...{ display_name: 'Sign-ins', event_types: ['user.signed_in'], filter: { actor: 'user' } },
  ...{ group_by: 'method', unit: 'day', count: 'events' },
};
const dayMs = 24 * 60 * 60_000;
const dayOf = (offset: number) => Math.floor(Date.now() / dayMs) * dayMs + offset * dayMs;

describe('a custom metric', () => {
  test('is created, changed, listed and deleted', async () => {
    const made = await call('POST', '', definition);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...{ id: expect.any(String), ...definition, is_complete: false, progress: 0 },
      ...{ created_at_millis: expect.any(Number), updated_at_millis: made.body.created_at_millis },
    });
    const { id } = made.body;
    const changed = await call('PATCH', `/${id}`, { unit: 'week', filter: {} });
    expect(changed.body).toMatchObject({ ...definition, unit: 'week', filter: {} });
    const { items, fields } = (await call('GET')).body;
    expect(items).toEqual([changed.body]);
    expect(fields).toContainEqual({ field: 'is_impersonation', event_types: ['user.signed_in', 'session.created'] });
    expect((await call('DELETE', `/${id}`)).body).toEqual({ success: true });
    expect((await call('GET')).body.items).toEqual([]);
    for (const [method, rest, body] of [
      ['PATCH', '', {}],
      ['DELETE', '', undefined],
      ['GET', '/values', undefined],
    ] as const) {
      expectKnown(await call(method, `/${id}${rest}`, body), 404, 'CUSTOM_METRIC_NOT_FOUND');
    }
  });

  test('is rejected if it has an unknown type, field or unit', async () => {
    expectSchemaError(await call('POST', '', { ...definition, event_types: ['user.unknown'] }), 'event_types');
    expectSchemaError(await call('POST', '', { ...definition, filter: { user_id: unknownId } }), 'filter');
    expectSchemaError(await call('POST', '', { ...definition, group_by: 'team_id' }), 'No event of these types');
    expectSchemaError(await call('POST', '', { ...definition, unit: 'year' }), 'unit');
  });

  test('is in the audit log by its name', async () => {
    const project = await createProject(send);
    const { id } = (await call('POST', '', definition, project)).body;
    await call('PATCH', `/${id}`, { unit: 'week' }, project);
    await call('DELETE', `/${id}`, undefined, project);
    const query = `target_id=${id}&order=asc`;
    const { body } = await send('GET', `/internal/audit-events?${query}`, { ...project, access: 'admin' });
    expect(body.items.map((item: { text: string }) => item.text)).toEqual([
      'Created a metric: Sign-ins',
      'Changed a metric: Sign-ins',
      'Deleted a metric',
    ]);
  });

  test('is one of at most twenty', async () => {
    const project = await createProject(send);
    for (let nth = 0; nth < 20; nth += 1) expect((await call('POST', '', definition, project)).status).toBe(201);
    expectKnown(await call('POST', '', definition, project), 400, 'CUSTOM_METRIC_LIMIT_REACHED', { limit: 20 });
  });
});

describe('values', () => {
  const counted = new Map<string, string>();
  let id = '';
  const run = '00000000-0000-4000-8000-000000000001';
  const add = (start: number, isTotal: boolean, value: string, count: number) =>
    api.pool.query(
      `insert into activity.metric_counts (metric_id, run, start, is_total, value, project_id, count)
       values ($1, $2, to_timestamp($3 / 1000.0), $4, $5, $6, $7)`,
      [id, run, start, isTotal, value, shop.projectId, count],
    );
  const setProgress = (position: number, isComplete: boolean) =>
    api.pool.query('update activity.metric_progress set position = $2, is_complete = $3 where metric_id = $1', [
      ...[id, position, isComplete],
    ]);

  beforeAll(async () => {
    ({ id } = (await call('POST', '', definition)).body);
    await api.pool.query(
      `insert into activity.metric_progress (metric_id, project_id, revision, run, position, index, nth, first_position,
         target_position, is_complete)
       select id, project_id, revision, $2, 150, 0, 0, 100, 200, false
       from ${api.deps.readModels.schema('main')}.custom_metrics where id = $1`,
      [id, run],
    );
    for (let nth = 0; nth < 12; nth += 1) {
      counted.set(`m${nth}`, String(nth));
      await add(dayOf(-2), false, `m${nth}`, nth + 1);
    }
    await add(dayOf(-2), false, '', 5);
    await add(dayOf(-2), true, '', 83);
    await add(dayOf(0), true, '', 2);
    await add(dayOf(0), false, 'm0', 2);
  });

  test('have one count per interval, the ten largest groups, and what is counted of the past', async () => {
    const { body } = await call('GET', `/${id}/values`);
    expect(body.intervals).toHaveLength(30);
    expect(body.intervals.at(-1)).toEqual({ start_millis: dayOf(0), end_millis: dayOf(1) });
    expect(body).toMatchObject({ unit: 'day', total: 85, is_complete: false, progress: 0.5 });
    expect(body.counts.slice(-3)).toEqual([83, 0, 2]);
    expect(body.groups).toHaveLength(11);
    expect(body.groups[0]).toMatchObject({ value: 'm11' });
    expect(body.groups[9]).toMatchObject({ value: 'm0' });
    // The unknown, m1 and m2 are not among the ten largest.
    expect(body.groups[10]).toMatchObject({ value: null, counts: expect.arrayContaining([5 + 2 + 3]) });
    expect(body.groups.flatMap(({ counts }: { counts: number[] }) => counts.at(-3))).toHaveLength(11);
  });

  test('are those of a range, at most the last 1,000 intervals of it', async () => {
    const values = (from: number, until: number) =>
      call('GET', `/${id}/values?from_millis=${from}&until_millis=${until}`);
    const { body } = await values(dayOf(-2) + 1, dayOf(-1));
    expect(body).toMatchObject({ intervals: [{ start_millis: dayOf(-2), end_millis: dayOf(-1) }], counts: [83] });
    expect((await values(0, dayOf(0))).body.intervals).toHaveLength(1_000);
    expectSchemaError(await values(dayOf(0), dayOf(0)), 'until_millis');
  });

  test('of a definition that was changed are not shown', async () => {
    await setProgress(200, true);
    expect((await call('GET', `/${id}/values`)).body).toMatchObject({ total: 85, is_complete: true, progress: 1 });
    await call('PATCH', `/${id}`, { display_name: 'Renamed' });
    expect((await call('GET', `/${id}/values`)).body).toMatchObject({ total: 85, is_complete: true });
    await call('PATCH', `/${id}`, { count: 'distinct_users' });
    const { body } = await call('GET', `/${id}/values`);
    expect(body).toMatchObject({ total: null, is_complete: false, progress: 0, groups: [] });
    expect(new Set(body.counts)).toEqual(new Set([0]));
  });
});
