import type { Recorded } from '@gatebook/domain/event';
import type { MembershipEvent } from '@gatebook/domain/membership/events';
import type { ProjectEvent } from '@gatebook/domain/project/events';
import { type Published, publishedEvents } from '@gatebook/domain/public-events/published';
import type { TeamEvent } from '@gatebook/domain/team/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { type Change, insert, type Projection, patch, removeAll } from '@gatebook/projections/changes';
import { sha256 } from '@gatebook/runtime/hash';

/** Names the event of a kind that a write has at most once. */
function keyInWrite(kind: string, { stream, metadata, committedAt }: Recorded): string {
  const name = JSON.stringify([kind, stream, metadata.requestId, committedAt]);
  return sha256(name).slice(0, 24);
}

function keyOf(event: Recorded, { kind, isMerged }: Published, index: number): string {
  const isCreation = kind === 'user.created' || kind === 'team.created';
  return isMerged || isCreation ? keyInWrite(kind, event) : `${event.position}.${index}`;
}

function changesOf(event: Recorded, one: Published, index: number): readonly Change[] {
  const { position, id, metadata, committedAt } = event;
  const { kind, userId = null, teamId = null, isMerged, impliedBy } = one;
  const row = insert('public_events', {
    key: keyOf(event, one, index),
    project_id: metadata.projectId,
    position,
    index,
    as_of: position,
    kind,
    event_id: id,
    user_id: userId,
    team_id: teamId,
    at: committedAt,
    actor_kind: metadata.actor.kind,
    actor_id: metadata.actor.id,
    request_id: metadata.requestId,
    implied_by: impliedBy ? keyInWrite(impliedBy, event) : null,
  });
  // A new user is told with the address and the sign-in methods of the same write.
  const told =
    isMerged && impliedBy ? [patch('public_events', { key: keyInWrite(impliedBy, event) }, { as_of: position })] : [];
  return [row, ...told];
}

type Publish = (data: Record<string, unknown>) => readonly Published[];

/** Deterministic: the same log gives the same rows. Has every type, so that the group passes each event at once. */
export const eventsProjection = Object.fromEntries(
  Object.entries(publishedEvents).map(([type, publish]) => [
    type,
    (event: Recorded): readonly Change[] =>
      ((publish as Publish | null)?.(event.data) ?? []).flatMap((one, index) => changesOf(event, one, index)),
  ]),
);

export const membershipsProjection: Projection<MembershipEvent | UserEvent | TeamEvent> = {
  TeamMemberAdded: ({ position, data: { teamId, userId, projectId } }) => [
    insert('memberships', {
      team_id: teamId,
      user_id: userId,
      project_id: projectId,
      since: position,
      until: null,
      is_open: true,
    }),
  ],
  TeamMemberRemoved: ({ position, data: { teamId, userId } }) => [
    patch('memberships', { team_id: teamId, user_id: userId, is_open: true }, { is_open: false, until: position }),
  ],
  TeamDeleted: ({ position, data: { teamId } }) => [
    patch('memberships', { team_id: teamId, is_open: true }, { is_open: false, until: position }),
  ],
  UserDeleted: ({ position, data: { userId } }) => [
    patch('memberships', { user_id: userId, is_open: true }, { is_open: false, until: position }),
  ],
};

export const eventsOfDeletedProjects: Projection<ProjectEvent> = {
  ProjectDeleted: ({ data }) => [removeAll('project_id', data.projectId)],
};
