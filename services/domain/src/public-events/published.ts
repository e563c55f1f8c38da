import type { GatebookEvent } from '../catalog.ts';
import type { PublicEventKind } from './types.ts';

/** A public event that an event of the log becomes. */
export type Published = {
  kind: PublicEventKind;
  userId?: string;
  teamId?: string;
  /** The user or team of the event is the owner of this key. */
  apiKeyId?: string;
  /** Told once per write, by its last event. */
  isMerged?: true;
  /** Not told if the same write created the object. */
  impliedBy?: 'user.created' | 'team.created';
};

type DataOf<Type extends GatebookEvent['type']> = Extract<GatebookEvent, { type: Type }>['data'];
type PublishedEvents = {
  readonly [Type in GatebookEvent['type']]: ((data: DataOf<Type>) => readonly Published[]) | null;
};
type OfUser = { userId: string };
type OfTeam = { teamId: string };

const updatedUser = (userId: string) =>
  ({ kind: 'user.updated', userId, isMerged: true, impliedBy: 'user.created' }) as const;
const ofUser =
  (kind: PublicEventKind) =>
  ({ userId }: OfUser): readonly Published[] => [{ kind, userId }];
const ofMember =
  (kind: PublicEventKind) =>
  ({ userId, teamId }: OfUser & OfTeam): readonly Published[] => [{ kind, userId, teamId }];
const ofTeam =
  (kind: PublicEventKind) =>
  ({ teamId }: OfTeam): readonly Published[] => [{ kind, teamId }];
/** Also changes what is told of the users who have selected the team. */
const ofSelectableTeam =
  (kind: PublicEventKind) =>
  ({ teamId }: OfTeam): readonly Published[] => [
    { kind, teamId },
    { kind: 'selected_team.changed', teamId },
  ];
/** Only the creation and the move of a key name its owner. */
const ofApiKey =
  (kind: PublicEventKind) =>
  ({ keyId: apiKeyId }: { keyId: string }): readonly Published[] => [{ kind, apiKeyId }];
const ofProject = (kind: PublicEventKind) => (): readonly Published[] => [{ kind }];

/** Also changes what is published of the user. */
const ofChangedUser =
  (kind: PublicEventKind) =>
  ({ userId }: OfUser): readonly Published[] => [{ kind, userId }, updatedUser(userId)];
const userUpdated = ({ userId }: OfUser): readonly Published[] => [updatedUser(userId)];
const teamUpdated = ({ teamId }: OfTeam): readonly Published[] => [
  { kind: 'team.updated', teamId, isMerged: true, impliedBy: 'team.created' },
];

/**
 * Which public events each event of the log becomes; null: none, because it is a step of something else, or nobody's
 * business but the owner's. A new type does not compile without an entry.
 */
export const publishedEvents: PublishedEvents = {
  UserCreated: ofUser('user.created'),
  UserRenamed: userUpdated,
  UserImageChanged: userUpdated,
  UserMetadataChanged: userUpdated,
  ContactChannelAdded: ofChangedUser('contact_channel.created'),
  ContactChannelValueChanged: ofChangedUser('contact_channel.updated'),
  ContactChannelVerificationChanged: ofChangedUser('contact_channel.updated'),
  ContactChannelProven: ofChangedUser('contact_channel.updated'),
  ContactChannelAuthChanged: ofChangedUser('contact_channel.updated'),
  // Without a new primary address, the user has the place of the release before, so that IDs stay valid.
  PrimaryChannelChanged: ({ userId, channelId }) => {
    const changed = { kind: 'primary_channel.changed', userId } as const;
    return channelId === null ? [updatedUser(userId), changed] : [changed, updatedUser(userId)];
  },
  ContactChannelRemoved: ofChangedUser('contact_channel.deleted'),
  UserPasswordSet: ({ userId, origin }) => (origin === 'rehash' ? [] : [updatedUser(userId)]),
  PasswordResetRequested: null,
  UserPasswordRemoved: userUpdated,
  UserSessionsEnded: ofUser('user.sessions_revoked'),
  UserUpgraded: userUpdated,
  TotpSecretChanged: ({ userId, isEnabled }) => [
    { kind: isEnabled ? 'mfa.enabled' : 'mfa.disabled', userId },
    updatedUser(userId),
  ],
  TotpUsed: null,
  TotpRejected: ofUser('user.sign_in_failed'),
  SignInsThrottled: ofUser('user.sign_in_failed'),
  PasskeyRegistered: ofChangedUser('passkey.created'),
  PasskeyUsed: null,
  PasskeyRemoved: ofChangedUser('passkey.deleted'),
  OAuthAccountLinked: ofChangedUser('connected_account.created'),
  OAuthAccountChanged: ofChangedUser('connected_account.updated'),
  OAuthAccountUnlinked: ofChangedUser('connected_account.deleted'),
  UserApiKeysRevoked: ofUser('user.api_keys_revoked'),
  UserRestricted: userUpdated,
  UserRestrictionChanged: userUpdated,
  UserRestrictionLifted: userUpdated,
  UserCountryCodeChanged: userUpdated,
  UserRiskScoresChanged: userUpdated,
  OtpAuthChanged: userUpdated,
  // New users get the default permissions of the project, which the protocol does not tell.
  ProjectPermissionGranted: ({ userId }) => [{ kind: 'project_permission.created', userId, impliedBy: 'user.created' }],
  ProjectPermissionRevoked: ofUser('project_permission.deleted'),
  TeamSelected: userUpdated,
  NotificationPreferenceChanged: null,
  // The events that follow tell what the user gets.
  UserMerged: null,
  UserExported: null,
  ReservationExpired: null,
  UserDeletionScheduled: ofUser('user.deleted'),
  UserDeletionCanceled: ofUser('user.restored'),
  UserDeleted: ({ userId, wasScheduled }) => (wasScheduled ? [] : [{ kind: 'user.deleted', userId }]),
  UserErased: ofUser('user.erased'),
  SessionStarted: ({ userId, isImpersonation }) => [
    { kind: 'session.created', userId },
    ...(isImpersonation ? [] : [{ kind: 'user.signed_in', userId } as const]),
  ],
  SessionEnded: ({ userId, reason }) => [{ kind: reason === 'sign_out' ? 'session.ended' : 'session.revoked', userId }],
  ProjectCreated: null,
  ProjectDetailsChanged: ofProject('project.updated'),
  ProjectConfigChanged: ofProject('project.updated'),
  ProjectSettingsChanged: ofProject('project.updated'),
  ProjectPasswordMigrationChanged: ofProject('project.updated'),
  EmailTemplateChanged: null,
  EmailTemplateReset: null,
  PermissionDefinitionCreated: ofProject('permission_definition.created'),
  PermissionDefinitionChanged: ofProject('permission_definition.updated'),
  PermissionDefinitionDeleted: ofProject('permission_definition.deleted'),
  CustomMetricDefined: null,
  CustomMetricChanged: null,
  CustomMetricDeleted: null,
  ProjectOwnerAdded: null,
  ProjectOwnerRemoved: null,
  ProjectMemberRoleChanged: null,
  ProjectMemberRemoved: null,
  ProjectOwnerTeamChanged: null,
  ConfigOverrideChanged: null,
  ConfigSourceUnlinked: null,
  AuditLogExported: null,
  UsersExported: null,
  // Nobody can read the events of a deleted project.
  ProjectDeletionScheduled: null,
  ProjectDeletionCanceled: null,
  ProjectDeleted: null,
  ProjectClosed: null,
  ProjectKeyCreated: ofProject('project_key.created'),
  ProjectKeyDescribed: ofProject('project_key.updated'),
  ProjectKeyExpiryChanged: ofProject('project_key.updated'),
  ProjectKeyReplaced: ofProject('project_key.updated'),
  ProjectKeyRevoked: ofProject('project_key.revoked'),
  TeamCreated: ofTeam('team.created'),
  TeamRenamed: teamUpdated,
  TeamImageChanged: teamUpdated,
  TeamMetadataChanged: teamUpdated,
  TeamDeletionScheduled: ofSelectableTeam('team.deleted'),
  TeamDeletionCanceled: ofSelectableTeam('team.created'),
  TeamDeleted: (team) => (team.wasScheduled ? [] : ofSelectableTeam('team.deleted')(team)),
  // Creators of teams are not told (protocol, resources §8).
  TeamMemberAdded: ({ userId, teamId, how, permissionKeys }) =>
    how === 'created' || how === 'sign_up'
      ? []
      : [
          { kind: 'team_membership.created', userId, teamId },
          ...permissionKeys.map(() => ({ kind: 'team_permission.created', userId, teamId }) as const),
        ],
  // The user changes only if the team was selected, which is known when the event is read.
  TeamMemberRemoved: ({ userId, teamId }) => [{ kind: 'team_membership.deleted', userId, teamId }, updatedUser(userId)],
  TeamProfileChanged: null,
  TeamPermissionGranted: ofMember('team_permission.created'),
  TeamPermissionRevoked: ofMember('team_permission.deleted'),
  TeamPermissionUsed: null,
  ApiKeyCreated: ({ keyId: apiKeyId, ownerType, ownerId }) => [
    { kind: 'api_key.created', apiKeyId, ...(ownerType === 'user' ? { userId: ownerId } : { teamId: ownerId }) },
  ],
  ApiKeyChanged: ofApiKey('api_key.updated'),
  ApiKeyMoved: ({ keyId: apiKeyId, ownerId: userId }) => [{ kind: 'api_key.moved', apiKeyId, userId }],
  ApiKeyRevoked: ofApiKey('api_key.revoked'),
  EmailRequested: null,
  EmailSent: null,
  EmailFailed: null,
  EmailRetried: null,
  EmailPaused: null,
  EmailResumed: null,
  EmailRescheduled: null,
  EmailDropped: null,
  UserBatchStarted: null,
  UserBatchEnded: null,
  MailingRequested: null,
  MailingEmailsRequested: null,
  MailingClosed: null,
  ValueReserved: null,
  ReservationReleased: null,
  AddressErased: null,
  QuotaItemAdded: null,
  CodeIssued: ({ purpose, payload }) =>
    purpose === 'team_invitation' ? [{ kind: 'team_invitation.created', teamId: String(payload.teamId) }] : [],
  CodeAttempted: null,
  CodeUsed: null,
  CodeApproved: null,
  CodeAnonymousSessionHandedOver: null,
  CodeRevoked: null,
  ProviderTokensStored: null,
  ProviderTokensDiscarded: null,
  RequestDecided: null,
  WebhookEndpointCreated: null,
  WebhookEndpointUpdated: null,
  WebhookSecretRotated: null,
  WebhookSecretRead: null,
  WebhookEndpointEnabled: null,
  WebhookEndpointDisabled: ofProject('webhook_endpoint.disabled'),
  WebhookEndpointDeleted: null,
};
