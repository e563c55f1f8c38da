/** What apps are told about. The first twelve are those of the protocol (protocol, resources §8). */
export const publicEventTypes = [
  'user.created',
  'user.updated',
  'user.deleted',
  'team.created',
  'team.updated',
  'team.deleted',
  'team_membership.created',
  'team_membership.deleted',
  'team_permission.created',
  'team_permission.deleted',
  'project_permission.created',
  'project_permission.deleted',
  'user.erased',
  'user.signed_in',
  'user.sign_in_failed',
  'user.sessions_revoked',
  'user.api_keys_revoked',
  'session.created',
  'session.ended',
  'session.revoked',
  'contact_channel.created',
  'contact_channel.updated',
  'contact_channel.deleted',
  'passkey.created',
  'passkey.deleted',
  'mfa.enabled',
  'mfa.disabled',
  'connected_account.created',
  'connected_account.updated',
  'connected_account.deleted',
  'api_key.created',
  'api_key.updated',
  'api_key.revoked',
  'team_invitation.created',
  'project.updated',
  'project_key.created',
  'project_key.updated',
  'project_key.revoked',
  'permission_definition.created',
  'permission_definition.updated',
  'permission_definition.deleted',
  'webhook_endpoint.disabled',
] as const;
export type PublicEventType = (typeof publicEventTypes)[number];

/** As the feed stores it: a restored user is told as a new one, together with their memberships. */
export type PublicEventKind = PublicEventType | 'user.restored';

/** The types of the events that one stored event stands for: with a user, their memberships come and go. */
export const typesOfKind = (kind: PublicEventKind): readonly PublicEventType[] => {
  if (kind === 'user.restored') return ['user.created', 'team_membership.created'];
  return kind === 'user.deleted' ? ['team_membership.deleted', 'user.deleted'] : [kind];
};

export const publicEventKinds: readonly PublicEventKind[] = [...publicEventTypes, 'user.restored'];

/** Those that also stand for events of teams. */
export const kindsWithMemberships = publicEventKinds.filter((kind) => typesOfKind(kind).length > 1);
