import {
  type AuditChain,
  type AuditEventDetail,
  type AuditEventPage,
  type AuditEventType,
  type AuditExport,
  type AuditPageOptions,
  type AuditTimelineBucket,
  type AuditTimelineRange,
  auditClient,
  type FollowedAuditEvent,
  type FollowOptions,
  type StateComparison,
  type StateDiff,
} from '../audit.ts';
import { type Action, changesClient, type Preview, type PreviewedCall, type Undone } from '../changes.ts';
import {
  explanationsClient,
  type PermissionExplanation,
  type PermissionQuestion,
  type Rejection,
} from '../explanations.ts';
import type { Read } from './cache.ts';
import { queryOf } from './fields.ts';
import { createRead } from './reads.ts';
import type { ServerContext } from './server-objects.ts';

export type HistoryMethods = {
  /** Newest first by default. */
  listAuditEvents: Read<[options?: AuditPageOptions], AuditEventPage>;
  /** New events as they happen. Connects again by itself, without loss. */
  followAuditEvents(options?: FollowOptions): AsyncGenerator<FollowedAuditEvent, void, undefined>;
  /**
   * The events up to now, oldest first, as JSON lines unless `format` is given. The stream is read as it arrives, and
   * the export is recorded. It is complete if its last line has `end`.
   */
  exportAuditLog(options?: Partial<AuditExport>): Promise<ReadableStream<Uint8Array>>;
  getAuditEvent: Read<[eventId: string], AuditEventDetail>;
  /** Counts in at most 200 buckets of equal length, oldest first. */
  getAuditTimeline: Read<[range: AuditTimelineRange], AuditTimelineBucket[]>;
  listAuditEventTypes: Read<[], AuditEventType[]>;
  getAuditChain: Read<[eventId: string], AuditChain>;
  compareStates(comparison: StateComparison): Promise<StateDiff>;
  /** Why a user has a permission, or not. */
  explainPermission(question: PermissionQuestion): Promise<PermissionExplanation>;
  /** Why a request was rejected. Its ID is in the header `x-stack-request-id` of the response. */
  explainRejection(requestId: string): Promise<Rejection>;
  /** What a write would do now. Changes nothing. */
  preview(call: PreviewedCall): Promise<Preview>;
  /** Makes a call that was previewed. @throws KnownError PREVIEW_OUTDATED if anything has changed since */
  writePreviewed(call: PreviewedCall, etag: string): Promise<unknown>;
  getAction: Read<[actionId: string], Action>;
  /** @throws KnownError ACTION_NOT_REVERSIBLE, ACTION_ALREADY_UNDONE or UNDO_CONFLICT */
  undoAction(actionId: string): Promise<Undone>;
};

const events = '/internal/audit-events';

export function historyMethods(context: ServerContext): HistoryMethods {
  const { send, cache } = context;
  const audit = auditClient(send);
  const changes = changesClient(send);
  const explanations = explanationsClient(send);
  return {
    listAuditEvents: createRead(context, (options = {}) => `${events}${queryOf(options)}`, audit.list),
    followAuditEvents: audit.follow,
    exportAuditLog: (options = {}) => audit.openExport({ format: 'jsonl', ...options }),
    getAuditEvent: createRead(context, (id) => `${events}/${id}`, audit.find),
    getAuditTimeline: createRead(context, (range) => `${events}/timeline${queryOf(range)}`, audit.timeline),
    listAuditEventTypes: createRead(context, () => '/internal/audit-event-types', audit.listTypes),
    getAuditChain: createRead(context, (id) => `${events}/${id}/chain`, audit.findChain),
    compareStates: audit.compare,
    explainPermission: explanations.permission,
    explainRejection: explanations.rejection,
    preview: changes.preview,
    writePreviewed: async (call, etag) => {
      const answer = await changes.writePreviewed(call, etag);
      await cache.refresh('');
      return answer;
    },
    getAction: createRead(context, (id) => `/internal/actions/${id}`, changes.findAction),
    undoAction: async (actionId) => {
      const undone = await changes.undo(actionId);
      // It can have changed anything.
      await cache.refresh('');
      return undone;
    },
  };
}
