import type { StateDiffView } from '@gatebook/contract/as-of';
import type {
  AuditEventDetailView,
  AuditEventListView,
  AuditEventTypeListView,
  AuditEventView,
  AuditTimelineView,
} from '@gatebook/contract/audit';
import type { AuditChainView } from '@gatebook/contract/explanations';
import type { UserExportBody } from '@gatebook/contract/user-search';
import { fromWire, queryOf } from './app/fields.ts';
import type { Json } from './json.ts';
import { followLive, type LiveOptions, openThrough } from './live.ts';
import type { Send } from './transport.ts';
import { toFilters, type UserFilters } from './user-filters.ts';

type Named = { kind: string; id: string | null; displayName: string | null };

/** `projectId` is `internal` for owners. `keyId`: the project key of a server or an admin. */
export type AuditActor = Named & {
  projectId: string;
  keyId: string | null;
  sessionId: string | null;
  impersonator: Named | null;
  isErased: boolean;
};

export type AuditTarget = { type: string; id: string; displayName: string | null; isErased: boolean };

/** An event of a project, or equal rejections of one window of five minutes: then `count` can be above 1. */
export type AuditEvent = {
  id: string;
  type: string;
  category: string;
  text: string;
  outcome: 'success' | 'rejected';
  errorCode: string | null;
  count: number;
  at: Date;
  lastAt: Date;
  /** The ID of the request. Its events are one action. */
  actionId: string;
  causedByEventId: string | null;
  actor: AuditActor;
  targets: readonly AuditTarget[];
  origin: { ip: string | null; userAgent: string | null; country: string | null } | null;
  isTechnical: boolean;
  undoneByActionId: string | null;
};

/** null: no value. A large value is `{ bytes, sha256 }`, a secret `"redacted"`. */
export type FieldChange = { field: string; before: Json; after: Json; isRedacted: boolean };

export type AuditEventDetail = AuditEvent & {
  /** null if the history of the object is too long. */
  changes: readonly FieldChange[] | null;
  data: Readonly<Record<string, Json>>;
  /** Events that this one caused after the request. */
  effects: readonly AuditEvent[];
  undo: { state: string; reasons: readonly string[] };
  /** The other events of the request, oldest first. */
  actionsSameRequest: readonly AuditEvent[];
};

/** Times in milliseconds since 1970; `fromMillis` is included, `untilMillis` is not. */
export type AuditFilters = {
  /** Event types, or categories such as `session.*`, separated by commas. */
  type?: string | undefined;
  category?: string | undefined;
  outcome?: 'success' | 'rejected' | undefined;
  actorKind?: string | undefined;
  actorId?: string | undefined;
  targetType?: string | undefined;
  targetId?: string | undefined;
  actionId?: string | undefined;
  /** An address, or a network such as `203.0.113.0/24`. */
  ip?: string | undefined;
  fromMillis?: number | undefined;
  untilMillis?: number | undefined;
  includeTechnical?: boolean | undefined;
} & AuditExclusions;

/** Each leaves out what the filter of that name finds. Several values are separated by commas. */
export type AuditExclusions = {
  excludeType?: string | undefined;
  excludeCategory?: string | undefined;
  excludeActorKind?: string | undefined;
  excludeActorId?: string | undefined;
  excludeTargetType?: string | undefined;
  excludeTargetId?: string | undefined;
  excludeActionId?: string | undefined;
  /** Of rejections, those whose whole network is excluded. */
  excludeIp?: string | undefined;
};

/** Newest first by default. */
export type AuditPageOptions = AuditFilters & {
  order?: 'desc' | 'asc' | undefined;
  limit?: number | undefined;
  cursor?: string | null | undefined;
};
export type AuditEventPage = { items: readonly AuditEvent[]; nextCursor: string | null };

export type AuditEventType = {
  type: string;
  category: string;
  text: string;
  isTechnical: boolean;
  isReversible: boolean;
};

/** What led to an event, and what it led to, at most 200 of each. The last cause began the action. */
export type AuditChain = {
  actionId: string;
  causes: readonly AuditEvent[];
  effects: readonly AuditEvent[];
  isTruncated: boolean;
};

export type AuditTimelineRange = AuditFilters & { fromMillis: number; untilMillis: number; buckets?: number };
/** `isComplete`: false if there are more events, which were not counted. */
export type AuditTimelineBucket = { at: Date; count: number; isComplete: boolean };

/** `from` and `to`: milliseconds or the ID of an event. Without `targetId` for `project` and `settings`. */
export type StateComparison = { targetType: string; targetId?: string; from: string; to: string };

/** What changed in one object between two moments. `events`: at most 200, oldest first. */
export type StateDiff = {
  existedBefore: boolean;
  existsAfter: boolean;
  changes: readonly FieldChange[];
  events: readonly { id: string; type: string; at: Date; actionId: string }[];
  hasMoreEvents: boolean;
};

export type FollowOptions = AuditFilters & LiveOptions;
/** `cursor`: to continue after this event, with the same filters. */
export type FollowedAuditEvent = AuditEvent & { cursor: string };

export type AuditExportFormat = 'jsonl' | 'csv' | 'cloudevents' | 'ocsf';
/**
 * `afterEventId`: the ID in the last complete line of an export that was cut off. `cursor`: `next_cursor` in the last
 * line of the export before, with the same filters.
 */
export type AuditExport = AuditFilters & {
  format: AuditExportFormat;
  afterEventId?: string | undefined;
  cursor?: string | undefined;
};

export type UserExportFormat = 'csv' | 'jsonl';
/** `filters`: what limits the export; `selection` if the users were chosen one by one. */
export type UserExport = { format: UserExportFormat; filters: UserFilters | 'selection' };

export type AuditClient = {
  list(options?: AuditPageOptions): Promise<AuditEventPage>;
  /**
   * New events as they happen, until the iteration is left or `signal` aborts. Connects again by itself, without loss.
   * Rejections follow when their window of five minutes is over. @throws when the right to read is lost
   */
  follow(options?: FollowOptions): AsyncGenerator<FollowedAuditEvent, void, undefined>;
  /** The events up to now, oldest first. The export is complete if its last line says so. */
  openExport(query: AuditExport): Promise<ReadableStream<Uint8Array>>;
  /** Call it before users are written to a file: reads of users are not recorded. */
  recordUserExport(started: UserExport): Promise<void>;
  find(eventId: string): Promise<AuditEventDetail>;
  /** Counts in at most 200 buckets of equal length, oldest first. */
  timeline(range: AuditTimelineRange): Promise<AuditTimelineBucket[]>;
  listTypes(): Promise<AuditEventType[]>;
  findChain(eventId: string): Promise<AuditChain>;
  compare(comparison: StateComparison): Promise<StateDiff>;
  /** Compares with the newest event of the project. */
  compareWithNow(target: Omit<StateComparison, 'to'>): Promise<StateDiff>;
};

export const auditClient = (send: Send): AuditClient => ({
  list: async (options = {}) => {
    const page = await send<AuditEventListView>('GET', `/internal/audit-events${queryOf(options)}`);
    return { items: page.items.map(toAuditEvent), nextCursor: page.pagination?.next_cursor ?? null };
  },
  follow: async function* ({ after, signal, onConnection, ...filters } = {}) {
    const pathAfter = (cursor: string) => `/internal/audit-events/stream${queryOf({ ...filters, after: cursor })}`;
    const items = followLive<AuditEventView>(openThrough(send, pathAfter), { after, signal, onConnection });
    for await (const { cursor, data } of items) yield { ...toAuditEvent(data), cursor };
  },
  openExport: (query) => send('GET', `/internal/audit-events/export${queryOf(query)}`),
  recordUserExport: async ({ format, filters }) => {
    const names = filters === 'selection' ? ['user_ids'] : [...toFilters(filters).keys()];
    const body: UserExportBody = { format, filters: names as UserExportBody['filters'] };
    await send('POST', '/internal/user-exports', body);
  },
  find: async (eventId) => {
    const {
      changes,
      data,
      undo,
      effects,
      actions_same_request: others,
      ...event
    } = await send<AuditEventDetailView>('GET', eventPath(eventId));
    return {
      ...toAuditEvent(event),
      changes: changes === null ? null : changes.map(toFieldChange),
      data,
      effects: effects.map(toAuditEvent),
      undo,
      actionsSameRequest: others.map(toAuditEvent),
    };
  },
  timeline: async (range) => {
    const { buckets } = await send<AuditTimelineView>('GET', `/internal/audit-events/timeline${queryOf(range)}`);
    return buckets.map(({ at_millis: at, count, is_complete: isComplete }) => ({
      at: new Date(at),
      count,
      isComplete,
    }));
  },
  findChain: async (eventId) => {
    const view = await send<AuditChainView>('GET', `${eventPath(eventId)}/chain`);
    return {
      actionId: view.action_id,
      causes: view.causes.map(toAuditEvent),
      effects: view.effects.map(toAuditEvent),
      isTruncated: view.is_truncated,
    };
  },
  compare: (comparison) => compareStates(send, comparison),
  compareWithNow: async (target) => {
    const newest = await send<AuditEventListView>('GET', `/internal/audit-events${queryOf(newestEvent)}`);
    return compareStates(send, { ...target, to: newest.items[0]?.id ?? target.from });
  },
  listTypes: async () => fromWire((await send<AuditEventTypeListView>('GET', '/internal/audit-event-types')).items),
});

const eventPath = (eventId: string) => `/internal/audit-events/${encodeURIComponent(eventId)}`;

async function compareStates(send: Send, comparison: StateComparison): Promise<StateDiff> {
  const path = `/internal/state-diffs${queryOf(comparison)}`;
  const { changes, events, ...view } = await send<StateDiffView>('GET', path);
  return {
    existedBefore: view.existed_before,
    existsAfter: view.exists_after,
    changes: changes.map(toFieldChange),
    events: events.map(({ id, type, at_millis: at, action_id: actionId }) => ({
      id,
      type,
      at: new Date(at),
      actionId,
    })),
    hasMoreEvents: view.has_more_events,
  };
}

const newestEvent = { limit: 1, outcome: 'success', includeTechnical: true };

const toAuditEvent = ({ at_millis: at, ...view }: AuditEventView): AuditEvent => ({
  ...fromWire(view),
  at: new Date(at),
});

type WireFieldChange = { field: string; before?: unknown; after?: unknown; is_redacted: boolean };

/** Values belong to the app and keep their names. */
export const toFieldChange = ({ field, before, after, is_redacted: isRedacted }: WireFieldChange): FieldChange => ({
  field,
  before: before as Json,
  after: after as Json,
  isRedacted,
});
