import { defineCrossProjectQuery, defineQuery, type ReadDb } from '../read-db.ts';

const knownUsersQuery = defineQuery({
  name: 'find-known-users',
  sql: (schema: string) => `select u.id from ${schema}.users u where u.project_id = $1 and u.id = any($2::uuid[])`,
});

/** The first of the IDs that is not a user of the project; null if all are. */
export async function findMissingUser(
  db: ReadDb,
  projectId: string,
  userIds: readonly string[],
): Promise<string | null> {
  const rows = await db.rows<{ id: string }>(knownUsersQuery, [projectId, [...userIds]]);
  const known = new Set(rows.map(({ id }) => id));
  return userIds.find((id) => !known.has(id)) ?? null;
}

const recipientsQuery = defineQuery({
  name: 'list-mailing-recipients',
  sql: (schema: string) => `select u.id from ${schema}.users u
    where u.project_id = $1 and u.channels ? u.primary_channel_id and ($2::uuid is null or u.id > $2) and u.signed_up_at <= $3
    order by u.id limit $4`,
});

type After = { after: string | null; signedUpBefore: string; limit: number };

/** IDs of the project's users who have an email address, in the order of their IDs. */
export async function listMailingRecipients(
  db: ReadDb,
  projectId: string,
  { after, signedUpBefore, limit }: After,
): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(recipientsQuery, [projectId, after, signedUpBefore, limit]);
  return rows.map(({ id }) => id);
}

const incompleteQuery = defineCrossProjectQuery({
  name: 'list-incomplete-mailings',
  sql: (
    schema: string,
  ) => `select m.id, m.job_id as "jobId", m.requested_at::text as "requestedAt" from ${schema}.mailings m
    where not m.is_closed and not m.is_complete and m.requested_at < $1
      and (m.requested_at, m.id) > ($3::timestamptz, $4::uuid)
    order by m.requested_at, m.id limit $2`,
});

export type IncompleteMailingRow = { id: string; jobId: string; requestedAt: string };

/** Mailings of all projects, requested before an ISO time, some of whose emails are not requested yet. */
export function listIncompleteMailings(
  db: ReadDb,
  before: string,
  { after = beforeAll, limit }: { after?: EndedMailingPlace | undefined; limit: number },
): Promise<IncompleteMailingRow[]> {
  return db.rowsOfAllProjects<IncompleteMailingRow>(incompleteQuery, [before, limit, after.requestedAt, after.id]);
}

const endedQuery = defineCrossProjectQuery({
  name: 'list-ended-mailings',
  sql: (
    schema: string,
  ) => `select m.id, m.project_id as "projectId", m.requested_at::text as "requestedAt" from ${schema}.mailings m
    where not m.is_closed and m.is_complete and (m.requested_at, m.id) > ($1::timestamptz, $2::uuid) and not exists (
      select from ${schema}.emails e
      where e.mailing_id = m.id and e.state in ('pending', 'paused', 'dead', 'orphaned')
    ) order by m.requested_at, m.id limit $3`,
});

/** `requestedAt`: a Postgres timestamp. */
export type EndedMailingRow = { id: string; projectId: string; requestedAt: string };
type EndedMailingPlace = Pick<EndedMailingRow, 'id' | 'requestedAt'>;
const beforeAll: EndedMailingPlace = { id: '00000000-0000-0000-0000-000000000000', requestedAt: '-infinity' };

/** Open mailings of all projects whose emails can't be sent anymore, oldest first, from after `after`. */
export function listEndedMailings(
  db: ReadDb,
  { after = beforeAll, limit }: { after?: EndedMailingPlace | undefined; limit: number },
): Promise<EndedMailingRow[]> {
  return db.rowsOfAllProjects<EndedMailingRow>(endedQuery, [after.requestedAt, after.id, limit]);
}
