import { publicEventTypes } from '@gatebook/domain/public-events/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExplainedDb } from '../testing/explained-db.ts';
import { startReadSide } from '../testing/read-side.ts';
import { everyPublicEvent, type FeedFilters, type FeedPlace, feedStart, readFeed } from './feed.ts';

let side: Awaited<ReturnType<typeof startReadSide>>;
const user = '00000000-0000-4000-8000-000000000001';
const otherTeam = '00000000-0000-4000-8000-000000000009';
const [count, deletions] = [20_000, 10_000];
const head = BigInt(count + deletions);

beforeAll(async () => {
  side = await startReadSide();
  const schema = side.readModels.schema('events');
  const table = `${schema}.public_events`;
  await side.database.pool.query(
    `insert into ${table} (key, project_id, position, index, as_of, kind, event_id, user_id, at, actor_kind, request_id)
     select n, 'shop', n, 0, n, 'user.signed_in', gen_random_uuid(), $1, timestamptz '2026-01-01' + n * interval '1 second', 'user', n
     from generate_series(1, ${count}) n`,
    [user],
  );
  // Another team, all of whose members were deleted.
  await side.database.pool.query(
    `with users as (select n, gen_random_uuid() as id from generate_series(${count} + 1, ${count + deletions}) n),
      told as (insert into ${table}
        (key, project_id, position, index, as_of, kind, event_id, user_id, at, actor_kind, request_id)
        select n, 'shop', n, 0, n, 'user.deleted', gen_random_uuid(), id, timestamptz '2026-02-01', 'user', n from users)
     insert into ${schema}.holdings
       (user_id, name, since, until, is_open, project_id, kind, team_id, is_told, first_told, last_told)
     select id, 'membership', 0, n, false, 'shop', 'membership', $1, true, n, n from users`,
    [otherTeam],
  );
  await side.database.pool.query(
    `update ${table} set implied_by = (position - 1)::text where position <= ${count} and position % 5 = 0`,
  );
  for (const name of ['public_events', 'holdings']) await side.database.pool.query(`analyze ${schema}.${name}`);
});
afterAll(() => side.close());

const rare = publicEventTypes.filter((type) => type.startsWith('api_key.'));
const filters: [string, Partial<FeedFilters>][] = [
  ['types', { types: rare }],
  ['a user', { userId: '00000000-0000-4000-8000-000000000002' }],
  ['a team', { teamId: user }],
  ['a type and a team', { types: rare, teamId: user }],
  ['a time', { since: Date.parse('2030-01-01') }],
];

/** A page of the project and the statements for it. */
async function explainPage(filter: Partial<FeedFilters>, { from, limit }: { from: FeedPlace; limit: number }) {
  const { db, plans } = createExplainedDb(side);
  const parts = { db, store: side.store, readModels: { position: () => head, isQuarantined: () => false } };
  return { page: await readFeed(parts, 'shop', { ...everyPublicEvent, ...filter }, { from, limit }), plans };
}

// The project has nearly no other types of events.
test.each(filters)('check 5: a page for %s that match nothing reads few pages of the table', async (_, filter) => {
  const { page, plans } = await explainPage(filter, { from: feedStart, limit: 100 });
  expect(page).toMatchObject({ items: [], hasMore: false, next: { position: head } });
  expect(plans.length).toBeGreaterThan(0);
  for (const { text, buffers } of plans) expect(buffers, text).toBeLessThan(60);
});

test('a large page of a small table reads no other rows to know which ones are not told', async () => {
  const limit = 1_000;
  const { plans } = await explainPage({}, { from: feedStart, limit });
  expect(plans.length).toBeGreaterThan(0);
  for (const { text, rows } of plans) expect(rows, text).toBeLessThanOrEqual(limit + 1);
});

test.each([0, 5_000])('check 5: a page for a team reads only its own deletions, after %i of them', async (after) => {
  const position = BigInt(count + after + 1);
  const limit = 10;
  const from = { ...feedStart, position };
  const { page, plans } = await explainPage({ teamId: otherTeam }, { from, limit });
  // The log has no events of these rows.
  expect(page).toMatchObject({ items: [], hasMore: true, next: { position: position + BigInt(limit) } });
  for (const { text, buffers } of plans) expect(buffers, text).toBeLessThan(250);
});
