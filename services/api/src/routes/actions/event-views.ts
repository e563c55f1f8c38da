import type { ChangeTarget } from '@gatebook/contract/previews';
import { auditTypeOf, isTechnicalEvent } from '@gatebook/domain/audit/audit-types';
import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import type { Definitions } from '@gatebook/domain/permission/effective';
import type { Write } from '@gatebook/eventlog/port';
import type { AuditRow } from '@gatebook/readmodel/audit/queries';
import type { TextLanguage } from '../../http/text-language.ts';
import { auditText, permissionOf } from '../audit/audit-texts.ts';
import type { AuditDeps } from '../audit/read-page.ts';
import { type AuditEntry, findReferences, type References } from '../audit/references.ts';
import { nameOfActor } from '../audit/wire.ts';

export type EventView = { type: string; targets: ChangeTarget[]; text: string; is_technical: boolean };

/** Events as the audit log shows them, and the name of the actor. `permissions`: of after the events. */
export async function viewEvents(
  deps: AuditDeps,
  { language, ...project }: { projectId: string; permissions: Definitions; language: TextLanguage },
  events: readonly Recorded[],
): Promise<{ views: EventView[]; actorName: string | null }> {
  const entries = events.map((event): AuditEntry => ({ row: rowOf(event), event }));
  const references = await findReferences(deps, project, entries);
  const views = entries.map((entry) => ({
    type: entry.row.type,
    targets: targetsOf(language, entry, references),
    text: auditText(language, entry, references),
    is_technical: entry.row.isTechnical,
  }));
  const { kind = '', id = null } = events[0]?.metadata.actor ?? {};
  return { views, actorName: nameOfActor(kind, id, references) };
}

function rowOf({ id, type, data, metadata, position, committedAt }: Recorded): AuditRow {
  const found = auditTypeOf(type);
  const { userId = null, teamId = null, object } = found?.targets.of(data) ?? {};
  const { actor, requestId, causationId } = metadata;
  return {
    ...{
      position,
      eventId: id,
      type,
      isTechnical: !found || isTechnicalEvent(found, data),
      at: Date.parse(committedAt),
    },
    ...{ actorKind: actor.kind, actorId: actor.id, impersonatorId: actor.impersonator?.id ?? null },
    ...{ requestId, causationId, userId, teamId, objectType: object?.type ?? null, objectId: object?.id ?? null },
  };
}

function targetsOf(language: TextLanguage, entry: AuditEntry, references: References): ChangeTarget[] {
  const { userId, teamId, objectType, objectId } = entry.row;
  const objectName = objectType === 'permission' ? permissionOf(language, entry, references) : objectId;
  return [
    ...(userId === null ? [] : [{ type: 'user' as const, id: userId }]),
    ...(teamId === null ? [] : [{ type: 'team' as const, id: teamId }]),
    ...(objectType === null ? [] : [{ type: objectType as ChangeTarget['type'], id: objectName }]),
  ];
}

/** Events that were not recorded, as if they were the newest ones. */
export function asRecorded(writes: readonly Write[], head: bigint, at: string): Recorded[] {
  const metadata = { projectId: '', actor: { kind: 'system', id: null }, requestId: '', correlationId: '' } as const;
  const complete = { ...metadata, causationId: null, sessionId: null, basis: {}, origin: null };
  return writes.flatMap(({ stream, expected, events }) =>
    events.map((event: DomainEvent, nth) => ({
      ...event,
      id: `${stream} ${nth}`,
      stream,
      revision: expected + BigInt(nth + 1),
      position: head + 1n,
      committedAt: at,
      metadata: complete,
    })),
  );
}
