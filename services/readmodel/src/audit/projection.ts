import { auditTypeOf, auditTypes, isTechnicalEvent } from '@gatebook/domain/audit/audit-types';
import type { Recorded } from '@gatebook/domain/event';
import type { ProjectEvent } from '@gatebook/domain/project/events';
import { type Change, insert, type Projection, removeAll } from '@gatebook/projections/changes';

function entry(event: Recorded): readonly Change[] {
  const type = auditTypeOf(event.type);
  if (!type) return [];
  const { position, id, data, metadata, committedAt } = event;
  const { actor } = metadata;
  const { userId = null, teamId = null, object } = type.targets.of(data);
  return [
    insert('audit_times', { project_id: metadata.projectId, at: committedAt }),
    insert('audit_events', {
      position,
      event_id: id,
      project_id: metadata.projectId,
      type: event.type,
      is_technical: isTechnicalEvent(type, data),
      at: committedAt,
      actor_kind: actor.kind,
      actor_id: actor.id,
      impersonator_id: actor.impersonator?.id ?? null,
      request_id: metadata.requestId,
      causation_id: metadata.causationId,
      // What a reactor does keeps the correlation ID of its cause.
      is_undo: metadata.causationId !== null && metadata.correlationId === metadata.requestId,
      user_id: userId,
      team_id: teamId,
      object_type: object?.type ?? null,
      object_id: object?.id ?? null,
    }),
  ];
}

export const auditProjection: Readonly<Record<string, (event: Recorded) => readonly Change[]>> = Object.fromEntries(
  Object.keys(auditTypes).map((type) => [type, entry]),
);

export const endOfProjectsProjection: Projection<ProjectEvent> = {
  ProjectDeleted: ({ data }) => [removeAll('project_id', data.projectId)],
};
