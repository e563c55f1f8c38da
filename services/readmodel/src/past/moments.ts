import { internalProjectId } from '@gatebook/domain/project/decide';
import type { EventStore } from '@gatebook/eventlog/port';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { forever } from '@gatebook/projections/versions/versioned-table';
import { ReadModelNotReadyError, type ReadModels } from '@gatebook/projections/wait';
import { pause } from '@gatebook/runtime/pause';
import type { Pool } from '@gatebook/runtime/postgres';
import { pastGroup } from '../projection-groups.ts';
import type { Moment } from './past-db.ts';

/** The state of a project right after an action. `eventId`: of its last event. Times are in milliseconds. */
export type ProjectMoment = Moment & { eventId: string; millis: number };

/** A time in milliseconds, or the ID of an event. */
export type AskedMoment = { millis: number } | { eventId: string };
export type FoundMoment =
  | { outcome: 'found'; moment: ProjectMoment }
  /** null if the project has no events. */
  | { outcome: 'before-project'; createdAt: number | null }
  | { outcome: 'unknown-event' }
  /** The past is not built up to there, or the project is quarantined. */
  | { outcome: 'not-ready' };

export type Moments = {
  find(projectId: string, asked: AskedMoment): Promise<FoundMoment>;
};

type Parts = {
  pool: Pool;
  store: Pick<EventStore, 'head' | 'checkAppends'>;
  readModels: Pick<ReadModels, 'schema' | 'isQuarantined'>;
  /** How long to wait for events that are not projected yet. */
  patienceMs?: number;
  /** For how long the past counts as complete after it has reached the head of the log. */
  ageMs?: number;
};

const pollMs = 50;
const usualPatienceMs = 5_000;
/** Erasures reach the past as it is projected, so it is not shown if it may be older than this. */
const usualAgeMs = 10_000;

/** Finds the moments at which the past of a project can be read. */
export function createMoments(parts: Parts): Moments {
  const { pool, store, readModels, patienceMs = usualPatienceMs, ageMs = usualAgeMs } = parts;
  let completeAt = Number.NEGATIVE_INFINITY;

  async function reachedHead(projectId: string): Promise<boolean> {
    const lookedAt = performance.now();
    // An append has its time before others see it. Without waiting for it, this moment would show more later.
    if ((await store.checkAppends(patienceMs)) === 'blocked') return false;
    const head = await store.head();
    for (const until = performance.now() + patienceMs; ; await pause(pollMs)) {
      const versions = await listProjectionVersions(pool, pastGroup.name);
      const live = versions.find(({ status }) => status === 'live');
      if (!live || live.stopped || live.quarantine.waiting.has(projectId)) return false;
      if (live.position >= head) {
        completeAt = Math.max(completeAt, lookedAt);
        return true;
      }
      if (performance.now() > until) return false;
    }
  }

  return {
    async find(projectId, asked) {
      const schema = schemaOf(readModels);
      // Erasures do not reach the versions of a quarantined project.
      if (schema === null || readModels.isQuarantined([projectId], pastGroup.name)) return { outcome: 'not-ready' };
      const look = () => findNow(pool, schema, projectId, asked);
      const found = await look();
      // Once a later action of the project is known, only erasures can change the answer.
      if (found.isFinal && performance.now() - completeAt < ageMs) return found.result;
      return (await reachedHead(projectId)) ? (await look()).result : { outcome: 'not-ready' };
    },
  };
}

/** null while the past is built for the first time. */
function schemaOf({ schema }: Pick<ReadModels, 'schema'>): string | null {
  try {
    return schema(pastGroup.name);
  } catch (error) {
    if (error instanceof ReadModelNotReadyError) return null;
    throw error;
  }
}

type Found = { result: FoundMoment; isFinal: boolean };

async function findNow(pool: Pool, schema: string, projectId: string, asked: AskedMoment): Promise<Found> {
  const action =
    'eventId' in asked
      ? await findActionOf(pool, schema, projectId, asked.eventId)
      : await findActionBefore(pool, schema, projectId, asked.millis);
  if (!action) {
    if ('eventId' in asked) return { result: { outcome: 'unknown-event' }, isFinal: false };
    const createdAt = await findFirst(pool, schema, projectId);
    return { result: { outcome: 'before-project', createdAt }, isFinal: createdAt !== null };
  }
  const millis = 'millis' in asked ? asked.millis : action.millis;
  const position = BigInt(action.position);
  const moment = { position, clock: new Date(millis).toISOString(), eventId: action.eventId, millis };
  return { result: { outcome: 'found', moment }, isFinal: action.isPast };
}

/** `isPast`: the project has later actions. */
type ActionRow = { position: string; eventId: string; millis: number; isPast: boolean };

const columns = `a.event_id as "eventId", (extract(epoch from a.at) * 1000)::float8 as millis,
  a.until_position < ${forever} as "isPast"`;

/**
 * The last action of the project up to a time, with the last position up to then of the projects whose rows it sees: a
 * project sees people of `internal`, and `internal` sees who owns which project. Only within a project do times never
 * fall: where the log's clock was set back, the last position of all is not that of the latest time.
 */
async function findActionBefore(pool: Pool, schema: string, projectId: string, millis: number) {
  const isOfAll = projectId === internalProjectId;
  // Reads a few rows per project, however many actions there are.
  const lastOf = (project: string) => `select o.from_position from ${schema}.actions o
      where o.project_id = ${project} and o.at <= to_timestamp($2::float8 / 1000)
      order by o.at desc, o.from_position desc limit 1`;
  const others = isOfAll
    ? `select max(last.from_position) from ${schema}.actions p cross join lateral (${lastOf('p.project_id')}) last
        where p.until_position = ${forever}`
    : lastOf(`'${internalProjectId}'`);
  const { rows } = await pool.query<ActionRow>({
    name: `${schema}.find-action-before${isOfAll ? '-of-all' : ''}`,
    text: `select least(a.until_position - 1, greatest(e.position, (${others}))) as position, ${columns}
      from ${schema}.actions a join ${schema}.events e on e.id = a.event_id
      where a.project_id = $1 and a.at <= to_timestamp($2::float8 / 1000)
      order by a.at desc, a.from_position desc limit 1`,
    values: [projectId, millis],
  });
  return rows[0] ?? null;
}

async function findActionOf(pool: Pool, schema: string, projectId: string, eventId: string) {
  const { rows } = await pool.query<ActionRow>({
    name: `${schema}.find-action-of`,
    text: `select last.position, ${columns}
      from ${schema}.events e cross join lateral (
        select * from ${schema}.actions a where a.project_id = e.project_id and a.from_position <= e.position
        order by a.from_position desc limit 1) a join ${schema}.events last on last.id = a.event_id
      where e.id = $2 and e.project_id = $1`,
    values: [projectId, eventId],
  });
  return rows[0] ?? null;
}

/** The time of the first action of a project, in milliseconds. */
async function findFirst(pool: Pool, schema: string, projectId: string): Promise<number | null> {
  const { rows } = await pool.query<{ millis: number }>({
    name: `${schema}.find-first-action`,
    text: `select (extract(epoch from at) * 1000)::float8 as millis from ${schema}.actions
      where project_id = $1 order by from_position limit 1`,
    values: [projectId],
  });
  return rows[0]?.millis ?? null;
}
