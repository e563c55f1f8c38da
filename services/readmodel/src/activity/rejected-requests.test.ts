import { describe, expect, test } from 'vitest';
import { failed, idOf, later, startRecorders } from './testing/recorders.ts';

const { createUnreliablePool, database, startActivity, startRecorder, sumCounts } = await startRecorders();

describe('requests that failed', () => {
  const readRequests = async () =>
    (await database.pool.query('select * from activity.rejected_requests order by at, request_id')).rows;

  test('are kept with code, status, actor and missing permission', async () => {
    const { record, flush } = startRecorder();
    const actor = { kind: 'user', id: idOf(1), impersonator: { kind: 'owner', id: idOf(2) } } as const;
    record(failed({ actor, status: 401, permission: { teamId: idOf(3), permissionId: '$update_team' } }));
    record(failed({ requestId: 'other', isAccess: false, code: 'SCHEMA_ERROR' }));
    await flush();
    expect(await readRequests()).toMatchObject([
      { request_id: 'other', code: 'SCHEMA_ERROR', actor_kind: null },
      { actor_kind: 'user', actor_id: idOf(1), impersonator_id: idOf(2), team_id: idOf(3), status: 401 },
    ]);
    expect(await sumCounts()).toBe(1);
  });

  test('cost at most 5,000 rows for 100,000 in five minutes, whatever they are (check 13)', async () => {
    const { record, flush } = startRecorder();
    for (let n = 0; n < 100_000; n += 1) {
      const network = `10.${n % 4}.${n % 250}.0/24`;
      const userId = n % 2 === 0 ? idOf(n % 1_000) : null;
      record(failed({ network, userId, requestId: `request ${n}`, at: later((n / 100_000) * 5) }));
      if (n % 20_000 === 0) await flush();
    }
    record(failed({ code: 'TEAM_PERMISSION_REQUIRED', route: 'PATCH /teams', requestId: 'legitimate', at: later(5) }));
    await flush();
    const rows = (await database.pool.query('select from activity.rejections')).rowCount ?? 0;
    const kept = await readRequests();
    expect(rows + kept.length).toBeLessThan(5_000);
    expect(await sumCounts()).toBe(100_001);
    expect(kept.map(({ request_id }) => request_id)).toEqual(expect.arrayContaining(['request 0', 'legitimate']));
    expect(kept).toHaveLength(2 * 50 + 1);
  });

  test('with many codes and routes are bounded in all, and everyday errors take no room of rejections', async () => {
    const { record, flush } = startRecorder();
    for (let n = 0; n < 2_000; n += 1) {
      record(failed({ requestId: `error ${n}`, route: `GET /path ${n % 100}`, code: 'SCHEMA_ERROR', isAccess: false }));
    }
    for (let n = 0; n < 2_000; n += 1) record(failed({ requestId: `${n}`, route: `GET /path ${n % 100}` }));
    record(failed({ projectId: 'forum', requestId: 'forum' }));
    await flush();
    const kept = await readRequests();
    expect(kept.filter(({ code }) => code === 'SCHEMA_ERROR')).toHaveLength(60);
    expect(kept.filter(({ code }) => code !== 'SCHEMA_ERROR')).toHaveLength(301);
    expect(kept.map(({ request_id }) => request_id)).toContain('forum');
  });

  test('are written once Postgres is back, and once only', async () => {
    const { pool, state } = createUnreliablePool();
    const { record, flush } = startRecorder({ pool });
    record(failed());
    state.isAway = true;
    await flush().catch(() => undefined);
    state.isAway = false;
    await flush();
    record(failed());
    await flush();
    expect(await readRequests()).toHaveLength(1);
  });

  test('lose everything personal with the account, the actor or the impersonator, also before they are written', async () => {
    const { record, flush, drop } = startRecorder();
    const activity = startActivity({ drop });
    const by = (nth: number) => ({ kind: 'user', id: idOf(nth) }) as const;
    record(failed({ userId: idOf(1), requestId: 'a' }));
    record(failed({ userId: idOf(2), actor: by(1), requestId: 'b' }));
    record(failed({ actor: { ...by(2), impersonator: { kind: 'owner', id: idOf(1) } }, requestId: 'c' }));
    record(failed({ userId: idOf(2), actor: by(2), requestId: 'd' }));
    await flush();
    record(failed({ actor: by(1), requestId: 'e' }));
    await activity.forgetUser(idOf(1));
    await flush();
    const nobody = { network: null, actor_id: null, actor_kind: null, impersonator_id: null };
    expect(await readRequests()).toMatchObject([
      { request_id: 'a', user_id: null, ...nobody },
      { request_id: 'b', user_id: idOf(2), ...nobody },
      { request_id: 'c', user_id: null, ...nobody },
      { request_id: 'd', user_id: idOf(2), actor_id: idOf(2), network: '203.0.113.0/24' },
    ]);
    await activity.forgetProject('shop');
    expect(await readRequests()).toEqual([]);
  });
});
