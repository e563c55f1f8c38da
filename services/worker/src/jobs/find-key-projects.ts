import type { WriteDeps } from '@gatebook/commands/deps';
import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition, Recorded } from '@gatebook/domain/event';
import type { Reactor } from '@gatebook/projections/subscriptions/reactor';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import { destroyKeys } from '../reactors/erase-subjects.ts';

type Parts = { write: Pick<WriteDeps, 'store' | 'eraseProject'>; pool: Pool; eraser: Pick<Reactor, 'react'> };

const pageSize = 1_000;
/** Leaves room for other work of the process and the log. */
const pauseMs = 5;
const definitions = new Map<string, EventDefinition>(Object.entries(catalog));
const unneeded: ReadonlySet<string> = new Set(
  [...definitions].flatMap(([type, { personal }]) => (personal || type === 'ProjectDeleted' ? [] : [type])),
);

/**
 * Finds the projects of subject keys that were added before keys had a project: a key belongs to the project of the
 * first event that is encrypted under it. Also erases projects that were deleted before. Reads the log once and resumes
 * where it stopped. Later it reads only new events, and only if a process of a former version has added keys. Skips
 * events that cannot be read.
 */
export async function findKeyProjects(parts: Parts, signal: AbortSignal): Promise<void> {
  const { store } = parts.write;
  const { startedAt, isNeeded, ...search } = await readSearch(parts.pool);
  if (!isNeeded) return;
  let { position } = search;
  for (const head = await store.head(); position < head; ) {
    const page = await store.readAll(position, pageSize, { types: unneeded, personal: true });
    await assignProjects(parts, page, signal);
    position = page.at(-1)?.position ?? head;
    await saveSearch(parts.pool, position, null);
    await pause(pauseMs, signal);
    if (signal.aborted) return;
  }
  await saveSearch(parts.pool, position, startedAt);
}

async function assignProjects(
  { write, pool, eraser }: Parts,
  page: readonly Recorded[],
  signal: AbortSignal,
): Promise<void> {
  const found = new Map<string, string>();
  for (const event of page) {
    // A damaged event must not end the search for the keys of all later events.
    if (event.unreadable) continue;
    const subjectField = definitions.get(event.type)?.personal?.subject;
    const subjectId = subjectField === undefined ? undefined : event.data[subjectField];
    if (typeof subjectId === 'string' && !found.has(subjectId)) found.set(subjectId, event.metadata.projectId);
  }
  const { rows } = await pool.query<{ projectId: string }>(
    'select distinct p as "projectId" from keys.assign_projects($1, $2) p',
    [[...found.keys()], [...found.values()]],
  );
  for (const { projectId } of rows) await destroyKeys(write, projectId, signal);
  for (const event of page) {
    if (event.type === 'ProjectDeleted' && !event.unreadable) await eraser.react(event, signal);
  }
}

type Search = { position: bigint; isNeeded: boolean; startedAt: string };

/** An append takes less time from adding its keys to storing its events. */
const longestAppend = '1 minute';

async function readSearch(pool: Pool): Promise<Search> {
  const { rows } = await pool.query<{ position: string; isNeeded: boolean; startedAt: string }>(
    `select coalesce(s.position, 0) as position, (now() - $1::interval)::text as "startedAt", exists (
       select from keys.subjects k where k.project_id is null and k.wrapped is not null
         and k.created_at >= coalesce(s.complete_until, '-infinity')) as "isNeeded"
     from (values (1)) one left join keys.project_search s on true`,
    [longestAppend],
  );
  const [row] = rows;
  if (!row) throw new Error('the search for the projects of keys has no row');
  return { ...row, position: BigInt(row.position) };
}

/** `completeUntil`: the search found the projects of all keys before this time; null: it has not reached the head. */
async function saveSearch(pool: Pool, position: bigint, completeUntil: string | null): Promise<void> {
  await pool.query(
    `insert into keys.project_search (position, complete_until) values ($1, $2)
     on conflict (is_only) do update set position = excluded.position,
       complete_until = coalesce(excluded.complete_until, keys.project_search.complete_until)`,
    [position, completeUntil],
  );
}
