import { readIfPossible } from '@gatebook/commands/read-if-possible';
import type { AuditEventDetailView, AuditEventView } from '@gatebook/contract/audit';
import { auditedStream } from '@gatebook/domain/audit/audited-streams';
import { shownData } from '@gatebook/domain/audit/event-data';
import { type Digest, type FieldChange, fieldChanges } from '@gatebook/domain/audit/field-changes';
import type { Recorded } from '@gatebook/domain/event';
import { type Definitions, withSystemPermissions } from '@gatebook/domain/permission/effective';
import type { ListedRejection } from '@gatebook/readmodel/activity/rejection-list';
import { anyAuditEvent } from '@gatebook/readmodel/audit/filters';
import { type AuditRow, listAuditRows } from '@gatebook/readmodel/audit/queries';
import type { Deps } from '../../deps.ts';
import { reasonIn } from '../actions/undo-reasons.ts';
import { withoutErasedData } from './audit-texts.ts';
import { type AuditDeps, type AuditReader, rejectionViews, viewEntries } from './read-page.ts';
import { findReferences, readEntries } from './references.ts';

/** Events of one request, and events that one caused. */
const maxRelated = 200;
/** Longer streams are not folded for one event. */
const maxFoldedEvents = 20_000;

type DetailDeps = AuditDeps & Pick<Deps, 'sha256'>;

export async function readAuditDetail(
  deps: DetailDeps,
  reader: AuditReader,
  row: AuditRow,
  undo: AuditEventDetailView['undo'],
): Promise<AuditEventDetailView> {
  const { db, store } = deps;
  const { projectId } = reader;
  const { permissions } = reader.project;
  const page = { order: 'asc', after: null, limit: maxRelated } as const;
  const [[event], ofRequest, caused] = await Promise.all([
    store.readAt([row.position]),
    listAuditRows(db, projectId, { ...anyAuditEvent, requestId: row.requestId }, page),
    listAuditRows(db, projectId, { ...anyAuditEvent, causationId: row.eventId }, page),
  ]);
  const others = ofRequest.rows.filter(({ eventId }) => eventId !== row.eventId);
  const effects = caused.rows.filter(({ requestId }) => requestId !== row.requestId);
  const entries = await readEntries(deps, [row, ...others, ...effects]);
  const [views, references] = await Promise.all([
    viewEntries(deps, reader, entries),
    findReferences(deps, { projectId, permissions }, entries.slice(0, 1)),
  ]);
  const [view] = views;
  if (!view) throw new Error('an audit event has no view');
  const digest = digestBy(deps);
  const clean = (one: Recorded) => withoutErasedData(one, references);
  const shown = event && !event.unreadable ? clean(event) : null;
  return {
    ...view,
    changes: shown && (await readIfPossible(() => changesOf(deps, shown, { permissions, digest, clean }))),
    data: (shown ? shownData(shown.data, digest) : {}) as AuditEventDetailView['data'],
    effects: views.slice(1 + others.length),
    undo,
    actions_same_request: views.slice(1, 1 + others.length),
  };
}

export const digestBy =
  ({ sha256 }: Pick<Deps, 'sha256'>): Digest =>
  (json) => ({ bytes: Buffer.byteLength(json), sha256: sha256(json) });

type ChangeOptions = { permissions: Definitions; digest: Digest; clean: (event: Recorded) => Recorded };

/** What the event changed, from the events of its stream; null if there are too many. */
async function changesOf(
  { store }: Pick<Deps, 'store'>,
  event: Recorded,
  { permissions, digest, clean }: ChangeOptions,
): Promise<AuditEventDetailView['changes']> {
  const audited = auditedStream(event.stream);
  if (!audited) return [];
  if (event.revision >= maxFoldedEvents) return null;
  let state = audited.initialState;
  for await (const page of store.readStreamPages(event.stream)) {
    for (const earlier of page) {
      if (earlier.revision < event.revision) {
        state = audited.evolve(state, clean(earlier));
        continue;
      }
      const after = audited.fieldsOf(audited.evolve(state, event));
      return fieldChanges(audited.fieldsOf(state), after, digest).map((change) => toChangeView(change, permissions));
    }
  }
  return [];
}

/** With current IDs of permissions instead of their keys. */
export function toChangeView(
  change: FieldChange,
  permissions: Definitions,
): NonNullable<AuditEventDetailView['changes']>[number] {
  const { field, before, after, isRedacted } = change;
  return {
    field: withPermissionId(field, permissions),
    before: before as AuditEventDetailView['data'][string],
    after: after as AuditEventDetailView['data'][string],
    is_redacted: isRedacted,
  };
}

function withPermissionId(field: string, permissions: Definitions): string {
  if (!field.startsWith('permissions.') && !field.startsWith('permission_definitions.')) return field;
  const [kind, key, ...rest] = field.split('.');
  const id = withSystemPermissions(permissions).find((definition) => definition.key === key)?.id;
  return id === undefined ? field : [kind, id, ...rest].join('.');
}

export async function readRejectionDetail(
  deps: AuditDeps,
  reader: AuditReader,
  row: ListedRejection,
): Promise<AuditEventDetailView> {
  const toView = await rejectionViews(deps, reader, [row]);
  const view: AuditEventView = toView(row);
  return {
    ...view,
    changes: [],
    data: {
      route: row.route,
      access_type: row.accessType,
      network: row.network,
      first_request_id: row.firstRequestId,
      last_request_id: row.lastRequestId,
    },
    effects: [],
    undo: { state: 'not_reversible', reasons: [reasonIn(reader.language, 'Nothing was changed.')] },
    actions_same_request: [],
  };
}
