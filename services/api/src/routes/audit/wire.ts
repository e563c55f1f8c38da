import type { AuditEventView } from '@gatebook/contract/audit';
import { auditTypeOf } from '@gatebook/domain/audit/audit-types';
import type { ListedRejection } from '@gatebook/readmodel/activity/rejection-list';
import type { InEachLanguage, TextLanguage } from '../../http/text-language.ts';
import { auditText, permissionOf, withoutErasedData } from './audit-texts.ts';
import type { AuditEntry, References } from './references.ts';

type Actor = AuditEventView['actor'];
type Target = AuditEventView['targets'][number];

/** `undoneBy`: by request, the request that undid it. */
export function toAuditEventView(
  { projectId, language }: { projectId: string; language: TextLanguage },
  entry: AuditEntry,
  references: References,
  undoneBy: ReadonlyMap<string, string>,
): AuditEventView {
  const { row, event } = entry;
  return {
    id: row.eventId,
    type: row.type,
    category: auditTypeOf(row.type)?.category ?? 'internal',
    text: auditText(language, entry, references),
    outcome: 'success',
    error_code: null,
    count: 1,
    at_millis: row.at,
    last_at_millis: row.at,
    action_id: row.requestId,
    caused_by_event_id: row.causationId,
    actor: actorOf(projectId, entry, references),
    targets: targetsOf(language, entry, references),
    origin: originOf(entry, references),
    is_technical: row.isTechnical,
    undone_by_action_id: (event && undoneBy.get(row.requestId)) ?? null,
  };
}

const isServer = (kind: string) => kind === 'server' || kind === 'admin';

export function nameOfActor(kind: string, id: string | null, { names }: References): string | null {
  if (id === null) return null;
  return (isServer(kind) ? names.projectKeys.get(id) : names.users.get(id)) ?? null;
}

function actorOf(projectId: string, { row, event }: AuditEntry, references: References): Actor {
  const { actorKind: kind, actorId: id } = row;
  const impersonator = event?.metadata.actor.impersonator;
  return {
    kind,
    id,
    display_name: nameOfActor(kind, id, references),
    project_id: kind === 'owner' ? 'internal' : projectId,
    key_id: isServer(kind) ? id : null,
    session_id: event?.metadata.sessionId ?? null,
    impersonator: impersonator
      ? {
          kind: impersonator.kind,
          id: impersonator.id,
          display_name: nameOfActor(impersonator.kind, impersonator.id, references),
        }
      : null,
    is_erased: id !== null && references.isErased(id),
  };
}

function targetsOf(language: TextLanguage, entry: AuditEntry, references: References): Target[] {
  const { userId, teamId, objectType, objectId } = entry.row;
  const { names, isErased } = references;
  const targets: Target[] = [];
  const add = (type: Target['type'], id: string | null, name: string | null = null) => {
    if (id !== null) targets.push({ type, id, display_name: name, is_erased: isErased(id) });
  };
  add('user', userId, userId && (names.users.get(userId) ?? null));
  add('team', teamId, teamId && (names.teams.get(teamId) ?? null));
  if (objectType !== null && objectId !== null) {
    add(objectType as Target['type'], objectId, objectName(entry, objectType, objectId, { language, references }));
  }
  return targets;
}

function objectName(
  entry: AuditEntry,
  type: string,
  id: string,
  { language, references }: { language: TextLanguage; references: References },
): string | null {
  if (type === 'permission') return permissionOf(language, entry, references);
  if (type === 'project_key') return references.names.projectKeys.get(id) ?? null;
  if (type === 'webhook_endpoint') return references.names.webhookEndpoints.get(id) ?? null;
  if (type === 'custom_metric') return asText(entry.event?.data.displayName);
  return type === 'api_key' ? (references.names.apiKeys.get(id) ?? null) : null;
}

/** Where the request came from, unless the person who sent it is erased. A sign-in is sent by the user. */
function originOf({ row, event }: AuditEntry, references: References): AuditEventView['origin'] {
  if (!event) return null;
  const { ip, userAgent, country } = withoutErasedData(event, references).data;
  const { actor, origin } = event.metadata;
  const sender = actor.impersonator?.id ?? row.actorId;
  const sent = sender !== null && references.isErased(sender) ? null : origin;
  const isOwn = row.actorId === null || (row.actorId === row.userId && !actor.impersonator);
  const shown = {
    ip: sent?.ip ?? (isOwn ? asText(ip) : null),
    user_agent: sent?.userAgent ?? (isOwn ? asText(userAgent) : null),
    country: isOwn ? asText(country) : null,
  };
  return Object.values(shown).some((value) => value !== null) ? shown : null;
}

const asText = (value: unknown) => (typeof value === 'string' ? value : null);

export const rejectionType = 'CallRejected';
export const rejectionCategory = 'rejection';

/** A call, or several. */
const rejectedTexts: InEachLanguage<(count: number, route: string) => string> = {
  en: (count, route) => `Rejected ${count === 1 ? 'a call' : `${count} calls`} of ${route}`,
  de: (count, route) => `${count === 1 ? 'Aufruf' : `${count} Aufrufe`} von ${route} abgelehnt`,
};
export const rejectionTitles: InEachLanguage<string> = { en: 'Call rejected', de: 'Aufruf abgelehnt' };

export function toRejectionView(
  { projectId, language }: { projectId: string; language: TextLanguage },
  row: ListedRejection,
  { names, isErased }: Pick<References, 'names' | 'isErased'>,
): AuditEventView {
  const { userId, network } = row;
  return {
    id: row.id,
    type: rejectionType,
    category: rejectionCategory,
    text: `${rejectedTexts[language](row.count, row.route.replace('/api/v1', ''))}: ${row.code}`,
    outcome: 'rejected',
    error_code: row.code,
    count: row.count,
    at_millis: row.firstAt,
    last_at_millis: row.lastAt,
    action_id: row.lastRequestId,
    caused_by_event_id: null,
    actor: {
      kind: row.accessType ?? 'client',
      id: null,
      display_name: null,
      project_id: projectId,
      key_id: null,
      session_id: null,
      impersonator: null,
      is_erased: false,
    },
    targets:
      userId === null
        ? []
        : [{ type: 'user', id: userId, display_name: names.users.get(userId) ?? null, is_erased: isErased(userId) }],
    origin: network === null ? null : { ip: network, user_agent: null, country: null },
    is_technical: false,
    undone_by_action_id: null,
  };
}
