import type { Recorded } from '@gatebook/domain/event';
import type { MembershipEvent } from '@gatebook/domain/membership/events';
import type { ProjectEvent } from '@gatebook/domain/project/events';
import { type Published, publishedEvents } from '@gatebook/domain/public-events/published';
import type { TeamEvent } from '@gatebook/domain/team/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { type Change, insert, type Projection, patch, type Row, removeAll } from '@gatebook/projections/changes';
import { sha256 } from '@gatebook/runtime/hash';
import type { HoldingKind } from './tables.ts';

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
  const { kind, userId = null, teamId = null, apiKeyId = null, isMerged, impliedBy } = one;
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
    api_key_id: apiKeyId,
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

/** What a user has. */
type Held = { kind: HoldingKind; userId: string; teamId?: string; permissionKey?: string };

const nameOf = ({ kind, teamId, permissionKey }: Held) =>
  kind === 'selected_team' ? kind : [kind, teamId, permissionKey].filter((part) => part !== undefined).join('.');

const begin = ({ position, metadata }: Recorded, held: Held): Change =>
  insert('holdings', {
    user_id: held.userId,
    name: nameOf(held),
    since: position,
    until: null,
    is_open: true,
    project_id: metadata.projectId,
    kind: held.kind,
    team_id: held.teamId ?? null,
    permission_key: held.permissionKey ?? null,
  });
/** `where`: columns of the rows, of those that have not ended. */
const end = ({ position }: Recorded, where: Row): Change =>
  patch('holdings', { ...where, is_open: true }, { is_open: false, until: position });
const endOne = (event: Recorded, held: Held) => end(event, { user_id: held.userId, name: nameOf(held) });

/** Memberships are told as deleted and created with their user. */
function tellMemberships({ position }: Recorded, userId: string): Change[] {
  const where = { user_id: userId, is_open: true, kind: 'membership' };
  return [
    patch('holdings', { ...where, is_told: false }, { is_told: true, first_told: position }),
    patch('holdings', where, { last_told: position }),
  ];
}

export const holdingsProjection: Projection<MembershipEvent | UserEvent | TeamEvent> = {
  TeamMemberAdded: (event) => {
    const { teamId, userId, permissionKeys } = event.data;
    return [
      begin(event, { kind: 'membership', userId, teamId }),
      ...permissionKeys.map((permissionKey) =>
        begin(event, { kind: 'team_permission', userId, teamId, permissionKey }),
      ),
    ];
  },
  TeamMemberRemoved: (event) => [end(event, { user_id: event.data.userId, team_id: event.data.teamId })],
  TeamPermissionGranted: (event) => [begin(event, { kind: 'team_permission', ...event.data })],
  TeamPermissionRevoked: (event) => [endOne(event, { kind: 'team_permission', ...event.data })],
  ProjectPermissionGranted: (event) => [begin(event, { kind: 'project_permission', ...event.data })],
  ProjectPermissionRevoked: (event) => [endOne(event, { kind: 'project_permission', ...event.data })],
  TeamSelected: (event) => {
    const { userId, teamId } = event.data;
    const former = endOne(event, { kind: 'selected_team', userId });
    return teamId === null ? [former] : [former, begin(event, { kind: 'selected_team', userId, teamId })];
  },
  UserDeletionScheduled: (event) => tellMemberships(event, event.data.userId),
  UserDeletionCanceled: (event) => tellMemberships(event, event.data.userId),
  UserDeleted: (event) => {
    const { userId, wasScheduled } = event.data;
    return [...(wasScheduled ? [] : tellMemberships(event, userId)), end(event, { user_id: userId })];
  },
  // Holdings of a team can be many, so their rows stay as they are.
  TeamDeleted: ({ position, data: { teamId }, metadata: { projectId } }) => [
    insert('ended_teams', { team_id: teamId, ended: position, project_id: projectId }),
  ],
};

export const eventsOfDeletedProjects: Projection<ProjectEvent> = {
  ProjectDeleted: ({ data }) => [removeAll('project_id', data.projectId)],
};
