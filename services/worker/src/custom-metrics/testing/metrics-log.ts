import type { GatebookEvent } from '@gatebook/domain/catalog';
import { typesNamed } from '@gatebook/domain/public-events/type-names';
import { unknownSignIn } from '@gatebook/domain/user/events';
import { silentLogger as logger, testMetadata } from '@gatebook/projections/testing/test-log';
import type { StoredMetric } from '@gatebook/readmodel/custom-metrics/queries';
import { everyPublicEvent, feedStart, type PublicEvent, readFeed } from '@gatebook/readmodel/events/feed';
import { startReadSide } from '@gatebook/readmodel/testing/read-side';
import { newId } from '@gatebook/runtime/ids';
import type { Pool } from '@gatebook/runtime/postgres';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import { fixedTime as at } from '@gatebook/runtime/testing/fixed';
import { countFault } from '@gatebook/runtime/testing/injected-faults';
import { vi } from 'vitest';
import type { MetricParts } from '../count-metrics.ts';

/** Numbers from 0 to 1, always the same ones. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
export const pick = <Item>(random: () => number, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random() * items.length)] ?? items[0];

const metadata = { clientMetadata: null, clientReadOnlyMetadata: null, serverMetadata: null };
const person = { profileImageUrl: null, isAnonymous: false, method: 'password' as const, displayName: 'Ann' };

/** A log with read models, and events whose times are given. */
export async function startMetricsLog() {
  const side = await startReadSide();
  const { store, db, readModels, pools } = side;
  const parts: MetricParts = { ...{ pool: pools.worker, db, store, readModels, logger }, pageSize: 50 };
  const revisions = new Map<string, bigint>();

  /** Appends an event at a time, not before those that were appended before. */
  async function record(projectId: string, stream: string, event: GatebookEvent, time: number): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: time });
    try {
      const expected = revisions.get(stream) ?? -1n;
      const actor = { kind: event.type === 'TeamCreated' ? ('server' as const) : ('user' as const), id: null };
      revisions.set(stream, expected + 1n);
      await store.append([{ stream, expected, events: [event] }], {
        ...{ ...testMetadata, projectId, actor, requestId: newId() },
      });
    } finally {
      vi.useRealTimers();
    }
  }

  async function addUser(projectId: string, userId: string, time: number): Promise<void> {
    const data = { ...unknownSignIn, userId, projectId, ...person, ...metadata, at };
    await record(projectId, `user-${userId}`, { type: 'UserCreated', data }, time);
  }

  async function signIn(projectId: string, userId: string, method: 'password' | 'otp' | 'passkey', time: number) {
    const sessionId = newId();
    const facts = { userRevision: 0, refreshTokenHash: sessionId, expiresAt: at, isImpersonation: false };
    const rest = { impersonator: null, impersonationReason: null, secondFactor: null, ...unknownSignIn };
    const data = { ...rest, sessionId, userId, projectId, ...facts, method, at };
    await record(projectId, `session-${sessionId}`, { type: 'SessionStarted', data }, time);
  }

  async function addTeam(projectId: string, teamId: string, time: number): Promise<void> {
    const facts = { displayName: 'Crew', profileImageUrl: null, creatorId: null };
    const data = { teamId, projectId, subjectId: teamId, ...facts, ...metadata, at };
    await record(projectId, `team-${teamId}`, { type: 'TeamCreated', data }, time);
  }

  async function addMember(projectId: string, teamId: string, userId: string, time: number): Promise<void> {
    const data = { teamId, userId, projectId, permissionKeys: ['team_member'], how: 'added' as const, at };
    await record(projectId, `membership-${teamId}.${userId}`, { type: 'TeamMemberAdded', data }, time);
  }

  async function renameUser(projectId: string, userId: string, time: number): Promise<void> {
    const data = { userId, displayName: 'Bea', at };
    await record(projectId, `user-${userId}`, { type: 'UserRenamed', data }, time);
  }

  const reached = async () => {
    const head = await store.head();
    for (const group of ['events', 'main']) await readModels.reached(head, pollDeadlineMs, [], { group });
  };

  return {
    ...side,
    ...{ parts, record, addUser, signIn, addTeam, addMember, renameUser, reached },
    /** Every public event of a project. */
    readAll: async (projectId: string): Promise<PublicEvent[]> => {
      const events: PublicEvent[] = [];
      for (let from = feedStart; ; ) {
        const page = await readFeed(parts, projectId, everyPublicEvent, { from, limit: 1_000 });
        events.push(...page.items.map(({ event }) => event));
        if (!page.hasMore) return events;
        from = page.next;
      }
    },
    /** What is stored: start, value and count of each row of the metric. The value of a total is null. */
    counts: async (metricId: string): Promise<[start: string, value: string | null, count: number][]> => {
      const { rows } = await side.database.pool.query<{ start: Date; isTotal: boolean; value: string; count: number }>(
        `select c.start, c.is_total as "isTotal", c.value, c.count from activity.metric_counts c
         join activity.metric_progress p on p.run = c.run where c.metric_id = $1 order by 1, 2 desc, 3`,
        [metricId],
      );
      return rows.map(({ start, isTotal, value, count }) => [start.toISOString(), isTotal ? null : value, count]);
    },
  };
}

let created = 0n;
export const newMetric = (projectId: string, given: Partial<StoredMetric> = {}): StoredMetric => {
  created += 1n;
  return {
    ...{ metricId: newId(), projectId, displayName: 'Metric', eventTypes: ['user.signed_in'], filter: {} },
    ...{ groupBy: null, unit: 'day', count: 'events', revision: String(created), createdAt: 0, updatedAt: 0, ...given },
  };
};

const weekday = (time: Date) => (time.getUTCDay() + 6) % 7;
/** Written apart from what is tested. */
function intervalOf(unit: StoredMetric['unit'], at: number): string {
  const time = new Date(at);
  const text = time.toISOString();
  if (unit === 'hour') return `${text.slice(0, 13)}:00:00.000Z`;
  if (unit === 'month') return `${text.slice(0, 7)}-01T00:00:00.000Z`;
  const days = unit === 'week' ? weekday(time) : 0;
  return `${new Date(at - days * 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`;
}

type FieldReader = (event: PublicEvent) => unknown;
const readers: Readonly<Record<string, FieldReader>> = {
  type: ({ type }) => type,
  actor: ({ actor }) => actor.kind,
  method: ({ data }) => data.method,
  team_id: ({ type, data }) => (type.startsWith('team.') ? data.id : data.team_id),
};
const read = (event: PublicEvent, field: string) => {
  const value = readers[field]?.(event);
  return typeof value === 'string' ? value : '';
};

/** What `counts` returns if every event is counted once. */
export function countPlainly(metric: StoredMetric, events: readonly PublicEvent[]) {
  const types: readonly string[] = typesNamed(metric.eventTypes);
  const wanted = events.filter(
    (event) =>
      types.includes(event.type) &&
      Object.entries(metric.filter).every(([field, value]) => read(event, field) === value),
  );
  const found = new Map<string, string[]>();
  for (const event of wanted) {
    const { type, data } = event;
    const user = ['user.created', 'user.updated', 'user.deleted', 'user.erased'].includes(type)
      ? data.id
      : data.user_id;
    const counted = metric.count === 'events' ? event.id : user;
    if (typeof counted !== 'string') continue;
    const groups = metric.groupBy === null ? [null] : [null, read(event, metric.groupBy)];
    for (const group of groups) {
      const key = JSON.stringify([intervalOf(metric.unit, event.at), group]);
      found.set(key, [...(found.get(key) ?? []), counted]);
    }
  }
  const rows = [...found].map(([key, all]) => {
    const [start, group] = JSON.parse(key) as [string, string | null];
    return [start, group, new Set(all).size] as const;
  });
  const orderOf = ([start, group]: (typeof rows)[number]) => `${start} ${group === null ? '' : `=${group}`}`;
  return rows.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

/** Fails each statement twice: once before it runs, and once after its commit. */
export function createFailingPool(pool: Pool): Pool & { faults(): number } {
  const calls = new Map<string, number>();
  let faults = 0;
  const fail = (): never => {
    faults += 1;
    countFault();
    throw new Error('the process has ended');
  };
  const query = async (statement: string | { text: string; values: unknown[] }, values: unknown[] = []) => {
    const key = JSON.stringify(typeof statement === 'string' ? [statement, values] : statement, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const nth = (calls.get(key) ?? 0) + 1;
    calls.set(key, nth);
    if (nth === 1) fail();
    const result = typeof statement === 'string' ? await pool.query(statement, values) : await pool.query(statement);
    if (nth === 2) fail();
    return result;
  };
  return { query, faults: () => faults } as unknown as Pool & { faults(): number };
}
