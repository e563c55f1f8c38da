/** Types of public events. The first twelve are those of the protocol (protocol, resources §8). */
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

/** What a stored event stands for, if not for one event of its own type. */
const combined = {
  'user.deleted': ['team_membership.deleted', 'user.deleted'],
  /** A new user, with everything of theirs that has its own events. */
  'user.restored': [
    'user.created',
    'contact_channel.created',
    'connected_account.created',
    'project_permission.created',
    'team_membership.created',
    'team_permission.created',
  ],
  /** Of the new primary address, and of the one before. */
  'primary_channel.changed': ['contact_channel.updated'],
  /** To another user, who owns the key from then on. */
  'api_key.moved': ['api_key.updated'],
  /** Of everyone who has selected a team that was deleted or restored. */
  'selected_team.changed': ['user.updated'],
} as const satisfies Readonly<Record<string, readonly PublicEventType[]>>;

export type CombinedKind = keyof typeof combined;
/** As the feed stores it. */
export type PublicEventKind = PublicEventType | CombinedKind;

const typesByKind: Readonly<Partial<Record<PublicEventKind, readonly PublicEventType[]>>> = combined;

/** The types of the events that one stored event stands for. */
export const typesOfKind = (kind: PublicEventKind): readonly PublicEventType[] =>
  typesByKind[kind] ?? [kind as PublicEventType];

export const publicEventKinds = [
  ...new Set<PublicEventKind>([...publicEventTypes, ...(Object.keys(combined) as PublicEventKind[])]),
];

/** Those that name the owner of an API key. All others of the key are about that owner. */
export const kindsWithKeyOwner = ['api_key.created', 'api_key.moved'] as const satisfies readonly PublicEventKind[];

/** Those of users that also stand for events of their teams. */
export const kindsWithMemberships = publicEventKinds.filter((kind) => /^user\.(deleted|restored)$/.test(kind));
