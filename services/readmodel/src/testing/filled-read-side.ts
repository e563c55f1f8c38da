import type { DomainEvent } from '@gatebook/domain/event';
import { createRecord, silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import { newId } from '@gatebook/runtime/ids';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { vi } from 'vitest';
import { createActivity } from '../activity/activity.ts';
import { everyTable } from './every-table.ts';
import { type ReadSide, startReadSide } from './read-side.ts';

export const first = 'first';
export const firstId = '00000000-0000-0000-0000-000000000000';

/** A read side in which every table has rows of the project `first`. */
export async function startFilledReadSide(): Promise<ReadSide> {
  const side = await startReadSide();
  const { store, database, readModels } = side;
  const record = createRecord(store, { ...testMetadata, projectId: first });
  const steps = JSON.parse(JSON.stringify(everyTable).replaceAll('"internal"', `"${first}"`)) as typeof everyTable;
  for (const { stream, events } of steps) await record(stream, ...events);
  await record(...sessionElsewhere(steps));
  await readModels.reached(await store.head(), pollDeadlineMs);
  const { rows: users } = await database.pool.query<{ user_id: string; id: string }>(
    `select user_id, id from ${readModels.schema('main')}.sessions where project_id = $1`,
    [first],
  );
  const activity = createActivity({ pool: side.pools.api, logger });
  for (const { user_id: userId, id: sessionId } of users) {
    activity.record({
      projectId: first,
      userId,
      sessionId,
      at: new Date().toISOString(),
      ip: null,
      country: 'DE',
      device: null,
      language: 'de-DE',
    });
    activity.recordKeyUse({ keyId: newId(), ownerId: userId, projectId: first, at });
  }
  await activity.close();
  await database.pool.query(`insert into activity.active_users values ($1, '2026-01-20', 7, 3, 2, 1)`, [first]);
  await database.pool.query(
    `insert into activity.counts values ($1, 'active_users', 'day', 'all', '2026-01-20', '', 3)`,
    [first],
  );
  await database.pool.query(
    `insert into activity.metric_progress (metric_id, project_id, revision, run, position, index, nth, first_position, target_position, is_complete)
     values ($2, $1, 1, $2, 1, 0, 0, 0, 1, true)`,
    [first, firstId],
  );
  await database.pool.query(
    `insert into activity.first_requests (project_id, at, access_type) values ($1, '2026-01-20', 'client')`,
    [first],
  );
  await database.pool.query(`insert into activity.metric_counts values ($2, $2, '2026-01-20', true, '', $1, 3)`, [
    first,
    firstId,
  ]);
  await database.pool.query(
    `insert into activity.rejections (project_id, window_at, code, route, count, first_at, last_at, first_request_id, last_request_id)
     values ($1, '2026-01-20', 'code', 'route', 1, '2026-01-20', '2026-01-20', 'request', 'request')`,
    [first],
  );
  await database.pool.query(
    `insert into activity.rejected_requests (request_id, project_id, window_at, at, code, status, route)
     values ('request', $1, '2026-01-20', '2026-01-20', 'code', 400, 'route')`,
    [first],
  );
  // The state of an email after its last attempt, which would need too many events here.
  await database.pool.query(`update ${readModels.schema('main')}.emails set state = 'dead'`);
  await appendUndo(side, record);
  await database.pool.query(
    `insert into activity.rejections (project_id, window_at, code, route, user_id, network, count, first_at, last_at,
       first_request_id, last_request_id)
     values ($1, $2, 'CODE', 'route', $3, '203.0.113.0/24', 1, $2, $2, 'request', 'request')`,
    [first, at, users[0]?.user_id],
  );
  await vi.waitUntil(async () => (await listSignUps(side, 'metrics')).length > 0);
  await readModels.reached(await store.head(), pollDeadlineMs, [], { group: 'audit' });
  await readModels.reached(await store.head(), pollDeadlineMs, [], { group: 'events' });
  return side;
}

/** Creates another session, from another device, for the first user with a session. */
function sessionElsewhere(steps: typeof everyTable): [stream: string, event: DomainEvent] {
  const started = steps.flatMap(({ events }) => events).find(({ type }) => type === 'SessionStarted');
  if (!started) throw new Error('no session was found');
  const sessionId = newId();
  const data = { ...started.data, sessionId, refreshTokenHash: sessionId, ip: '198.51.100.7' };
  return [`session-${sessionId}`, { type: 'SessionStarted', data }];
}

/** A deletion of a team, a request that caused nothing yet, and one that undid it. */
async function appendUndo({ store }: ReadSide, record: ReturnType<typeof createRecord>): Promise<void> {
  const actor = { kind: 'owner' as const, id: newId() };
  const teamId = newId();
  await record(`team-${teamId}`, { type: 'TeamDeleted', data: { teamId, projectId: first, wasScheduled: false, at } });
  const [deleted] = (await store.readStream(`team-${teamId}`)).events;
  const undo = { ...testMetadata, projectId: first, requestId: 'undo', correlationId: 'undo', actor };
  const event = { type: 'TeamDeleted', data: { teamId, projectId: first, wasScheduled: false, at } };
  await store.append([{ stream: `team-${newId()}`, expected: -1n, events: [event] }], {
    ...undo,
    causationId: deleted?.id ?? null,
  });
}

const listSignUps = async (side: ReadSide, group: string) =>
  (
    await side.database.pool.query(`select from ${side.readModels.schema(group)}.sign_ups where project_id = $1`, [
      first,
    ])
  ).rows;
