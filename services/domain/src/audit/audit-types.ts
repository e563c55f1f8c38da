import type { GatebookEvent } from '../catalog.ts';
import { type TemplateVersion, versionIdOf } from '../email/template-versions.ts';

export const auditCategories = [
  'user',
  'credential',
  'session',
  'team',
  'permission',
  'api_key',
  'project',
  'project_key',
  'webhook',
  'email',
  'internal',
] as const;
export type AuditCategory = (typeof auditCategories)[number];

/** Things besides users and teams. A permission is named by its key. */
export type AuditObject = {
  type:
    | 'session'
    | 'api_key'
    | 'project_key'
    | 'permission'
    | 'email'
    | 'email_template'
    | 'mailing'
    | 'project'
    | 'webhook_endpoint'
    | 'custom_metric'
    | 'user_batch';
  id: string;
};
export type AuditTargetType = 'user' | 'team' | AuditObject['type'];
/** What an event concerns. */
export type AuditTargets = { userId?: string | null; teamId?: string | null; object?: AuditObject };

export type AuditType<Data = Record<string, unknown>> = {
  category: AuditCategory;
  title: string;
  /** A step of something else, or a repair: the audit log shows it only if asked. */
  isTechnical?: true | ((data: Data) => boolean);
  targets: Targets<Data>;
};

/** `types`: those that `of` can name. */
type Targets<Data> = { types: readonly AuditTargetType[]; of: (data: Data) => AuditTargets };

type DataOf<Type extends GatebookEvent['type']> = Extract<GatebookEvent, { type: Type }>['data'];
type AuditTypes = { readonly [Type in GatebookEvent['type']]: AuditType<DataOf<Type>> };

const targets = <Data>(types: readonly AuditTargetType[], of: (data: Data) => AuditTargets): Targets<Data> => ({
  types,
  of,
});
/** Of one thing, by a field of the event. */
const ofObject = <Field extends string>(type: AuditObject['type'], field: Field) =>
  targets([type], (data: Readonly<Record<Field, string>>) => ({ object: { type, id: data[field] } }));

type OfUser = { userId: string };
type OfTeam = { teamId: string };
const ofNothing = targets([], () => ({}));
const ofUser = targets(['user'], ({ userId }: OfUser) => ({ userId }));
const ofHolder = targets(['user'], ({ holderId }: { holderId: string }) => ({ userId: holderId }));
const ofTeam = targets(['team'], ({ teamId }: OfTeam) => ({ teamId }));
const ofMember = targets(['user', 'team'], ({ teamId, userId }: OfTeam & OfUser) => ({ teamId, userId }));
const ofProject = ofObject('project', 'projectId');
const ofProjectKey = ofObject('project_key', 'keyId');
const ofEndpoint = ofObject('webhook_endpoint', 'endpointId');
const ofApiKey = ofObject('api_key', 'keyId');
const ofEmail = ofObject('email', 'emailId');
const ofMailing = ofObject('mailing', 'mailingId');
const ofPermission = ofObject('permission', 'key');
const ofBatch = ofObject('user_batch', 'batchId');
const ofStartedBatch = targets(
  ['user_batch', 'team'],
  ({ batchId: id, teamId }: { batchId: string; teamId: string | null }) => ({
    teamId,
    object: { type: 'user_batch', id },
  }),
);
const ofMetric = ofObject('custom_metric', 'metricId');
const ofTemplate = targets(['email_template'], (version: TemplateVersion) => ({
  object: { type: 'email_template', id: versionIdOf(version) },
}));
const ofSession = targets(['user', 'session'], ({ sessionId: id, userId }: OfUser & { sessionId: string }) => ({
  userId,
  object: { type: 'session', id },
}));
const ofGrant = targets(
  ['user', 'team', 'permission'],
  (data: OfUser & Partial<OfTeam> & { permissionKey: string }) => ({
    userId: data.userId,
    teamId: data.teamId ?? null,
    object: { type: 'permission', id: data.permissionKey },
  }),
);
const ofNewApiKey = targets(['api_key', 'user', 'team'], ({ ownerType, ownerId, keyId }: DataOf<'ApiKeyCreated'>) => ({
  object: { type: 'api_key', id: keyId },
  ...(ownerType === 'user' ? { userId: ownerId } : { teamId: ownerId }),
}));
const ofMovedApiKey = targets(['api_key', 'user'], ({ ownerId: userId, keyId: id }: DataOf<'ApiKeyMoved'>) => ({
  object: { type: 'api_key', id },
  userId,
}));
const ofEmailTo = targets(['email', 'user'], ({ emailId, userId }: { emailId: string; userId: string | null }) => ({
  object: { type: 'email', id: emailId },
  userId,
}));
const ofProjectMember = targets(['project', 'user'], ({ projectId, userId }: OfUser & { projectId: string }) => ({
  object: { type: 'project', id: projectId },
  userId,
}));
const ofOwnerTeam = targets(['project', 'team'], ({ projectId, teamId }: OfTeam & { projectId: string }) => ({
  object: { type: 'project', id: projectId },
  teamId,
}));
const ofSelection = targets(['user', 'team'], ({ userId, teamId }: OfUser & { teamId: string | null }) => ({
  userId,
  teamId,
}));

/** How the audit log shows each type of event. A new type does not compile without an entry. */
export const auditTypes: AuditTypes = {
  UserCreated: { category: 'user', title: 'User created', targets: ofUser },
  UserRenamed: { category: 'user', title: 'Display name changed', targets: ofUser },
  UserImageChanged: { category: 'user', title: 'Profile image changed', targets: ofUser },
  UserMetadataChanged: { category: 'user', title: 'User metadata changed', targets: ofUser },
  ContactChannelAdded: { category: 'user', title: 'Email address added', targets: ofUser },
  ContactChannelValueChanged: { category: 'user', title: 'Email address changed', targets: ofUser },
  ContactChannelVerificationChanged: { category: 'user', title: 'Email verification changed', targets: ofUser },
  ContactChannelProven: { category: 'user', title: 'Email address verified', targets: ofUser },
  ContactChannelAuthChanged: { category: 'credential', title: 'Email sign-in changed', targets: ofUser },
  PrimaryChannelChanged: { category: 'user', title: 'Primary email changed', targets: ofUser },
  ContactChannelRemoved: { category: 'user', title: 'Email address removed', targets: ofUser },
  UserPasswordSet: {
    category: 'credential',
    title: 'Password set',
    isTechnical: ({ origin }) => origin === 'rehash',
    targets: ofUser,
  },
  PasswordResetRequested: { category: 'credential', title: 'Password reset requested', targets: ofUser },
  UserPasswordRemoved: { category: 'credential', title: 'Password removed', targets: ofUser },
  UserSessionsEnded: { category: 'session', title: 'Sessions ended', targets: ofUser },
  UserUpgraded: { category: 'user', title: 'Anonymous user upgraded', targets: ofUser },
  TotpSecretChanged: { category: 'credential', title: 'Two-factor authentication changed', targets: ofUser },
  TotpUsed: { category: 'credential', title: 'Second factor used', isTechnical: true, targets: ofUser },
  TotpRejected: { category: 'credential', title: 'Second factor rejected', targets: ofUser },
  SignInsThrottled: { category: 'session', title: 'Sign-ins throttled', targets: ofUser },
  PasskeyRegistered: { category: 'credential', title: 'Passkey registered', targets: ofUser },
  PasskeyUsed: { category: 'credential', title: 'Passkey used', isTechnical: true, targets: ofUser },
  PasskeyRemoved: { category: 'credential', title: 'Passkey removed', targets: ofUser },
  OAuthAccountLinked: { category: 'credential', title: 'Connected account added', targets: ofUser },
  OAuthAccountChanged: { category: 'credential', title: 'Connected account changed', targets: ofUser },
  OAuthAccountUnlinked: { category: 'credential', title: 'Connected account removed', targets: ofUser },
  UserApiKeysRevoked: { category: 'api_key', title: 'All API keys of a user revoked', targets: ofUser },
  UserRestricted: { category: 'user', title: 'User restricted', targets: ofUser },
  UserRestrictionChanged: { category: 'user', title: 'User restriction changed', targets: ofUser },
  UserRestrictionLifted: { category: 'user', title: 'User restriction lifted', targets: ofUser },
  UserCountryCodeChanged: { category: 'user', title: 'Country changed', targets: ofUser },
  UserRiskScoresChanged: { category: 'user', title: 'Risk scores changed', targets: ofUser },
  OtpAuthChanged: { category: 'credential', title: 'Email code sign-in changed', targets: ofUser },
  ProjectPermissionGranted: { category: 'permission', title: 'Project permission granted', targets: ofGrant },
  ProjectPermissionRevoked: { category: 'permission', title: 'Project permission revoked', targets: ofGrant },
  TeamSelected: { category: 'user', title: 'Team selected', targets: ofSelection },
  NotificationPreferenceChanged: { category: 'user', title: 'Notification preference changed', targets: ofUser },
  UserMerged: { category: 'user', title: 'Users merged', targets: ofUser },
  UserExported: { category: 'user', title: 'Personal data exported', targets: ofUser },
  ReservationExpired: { category: 'internal', title: 'Reservation expired', isTechnical: true, targets: ofUser },
  UserDeletionScheduled: { category: 'user', title: 'User deleted, can be restored', targets: ofUser },
  UserDeletionCanceled: { category: 'user', title: 'User restored', targets: ofUser },
  UserDeleted: { category: 'user', title: 'User deleted', targets: ofUser },
  UserErased: { category: 'user', title: 'Erasure of a user completed', isTechnical: true, targets: ofUser },
  SessionStarted: { category: 'session', title: 'Signed in', targets: ofSession },
  SessionEnded: { category: 'session', title: 'Session ended', targets: ofSession },
  ProjectCreated: { category: 'project', title: 'Project created', targets: ofProject },
  ProjectDetailsChanged: { category: 'project', title: 'Project details changed', targets: ofProject },
  ProjectConfigChanged: { category: 'project', title: 'Configuration changed', targets: ofProject },
  ProjectSettingsChanged: { category: 'project', title: 'Settings changed', targets: ofProject },
  ProjectPasswordMigrationChanged: { category: 'project', title: 'Password migration changed', targets: ofProject },
  EmailTemplateChanged: { category: 'project', title: 'Email template changed', targets: ofTemplate },
  EmailTemplateReset: { category: 'project', title: 'Email template reset', targets: ofTemplate },
  PermissionDefinitionCreated: { category: 'permission', title: 'Permission created', targets: ofPermission },
  PermissionDefinitionChanged: { category: 'permission', title: 'Permission changed', targets: ofPermission },
  PermissionDefinitionDeleted: { category: 'permission', title: 'Permission deleted', targets: ofPermission },
  CustomMetricDefined: { category: 'project', title: 'Custom metric created', targets: ofMetric },
  CustomMetricChanged: { category: 'project', title: 'Custom metric changed', targets: ofMetric },
  CustomMetricDeleted: { category: 'project', title: 'Custom metric deleted', targets: ofMetric },
  ProjectOwnerAdded: {
    category: 'project',
    title: 'Owner added',
    targets: ofProjectMember,
  },
  ProjectOwnerRemoved: {
    category: 'project',
    title: 'Owner removed',
    targets: ofProjectMember,
  },
  ProjectMemberRoleChanged: { category: 'project', title: 'Member role changed', targets: ofProjectMember },
  ProjectMemberRemoved: { category: 'project', title: 'Member removed', targets: ofProjectMember },
  ProjectOwnerTeamChanged: {
    category: 'project',
    title: 'Owner team changed',
    targets: ofOwnerTeam,
  },
  ConfigOverrideChanged: { category: 'project', title: 'Configuration document changed', targets: ofProject },
  ConfigSourceUnlinked: { category: 'project', title: 'Configuration source unlinked', targets: ofProject },
  UserBatchStarted: { category: 'user', title: 'Batch of users started', targets: ofStartedBatch },
  UserBatchEnded: { category: 'user', title: 'Batch of users ended', targets: ofBatch },
  UsersExported: { category: 'project', title: 'Users exported', targets: ofProject },
  AuditLogExported: { category: 'project', title: 'Audit log exported', targets: ofProject },
  ProjectDeletionScheduled: { category: 'project', title: 'Project deleted, can be restored', targets: ofProject },
  ProjectDeletionCanceled: { category: 'project', title: 'Project restored', targets: ofProject },
  ProjectDeleted: { category: 'project', title: 'Project deleted', targets: ofProject },
  ProjectClosed: { category: 'internal', title: 'Project closed', isTechnical: true, targets: ofProject },
  ProjectKeyCreated: { category: 'project_key', title: 'Project key created', targets: ofProjectKey },
  ProjectKeyDescribed: { category: 'project_key', title: 'Project key description changed', targets: ofProjectKey },
  ProjectKeyExpiryChanged: { category: 'project_key', title: 'Project key expiration changed', targets: ofProjectKey },
  ProjectKeyReplaced: { category: 'project_key', title: 'Project key replaced', targets: ofProjectKey },
  ProjectKeyRevoked: { category: 'project_key', title: 'Project key revoked', targets: ofProjectKey },
  TeamCreated: { category: 'team', title: 'Team created', targets: ofTeam },
  TeamRenamed: { category: 'team', title: 'Team renamed', targets: ofTeam },
  TeamImageChanged: { category: 'team', title: 'Team image changed', targets: ofTeam },
  TeamMetadataChanged: { category: 'team', title: 'Team metadata changed', targets: ofTeam },
  TeamDeletionScheduled: { category: 'team', title: 'Team deleted, can be restored', targets: ofTeam },
  TeamDeletionCanceled: { category: 'team', title: 'Team restored', targets: ofTeam },
  TeamDeleted: { category: 'team', title: 'Team deleted', targets: ofTeam },
  TeamMemberAdded: { category: 'team', title: 'Team member added', targets: ofMember },
  TeamMemberRemoved: { category: 'team', title: 'Team member removed', targets: ofMember },
  TeamProfileChanged: { category: 'team', title: 'Team member profile changed', targets: ofMember },
  TeamPermissionGranted: { category: 'permission', title: 'Team permission granted', targets: ofGrant },
  TeamPermissionRevoked: { category: 'permission', title: 'Team permission revoked', targets: ofGrant },
  TeamPermissionUsed: {
    category: 'permission',
    title: 'Team permission used',
    isTechnical: true,
    targets: ofGrant,
  },
  ApiKeyCreated: { category: 'api_key', title: 'API key created', targets: ofNewApiKey },
  ApiKeyChanged: { category: 'api_key', title: 'API key changed', targets: ofApiKey },
  ApiKeyMoved: { category: 'api_key', title: 'API key moved to another user', targets: ofMovedApiKey },
  ApiKeyRevoked: { category: 'api_key', title: 'API key revoked', targets: ofApiKey },
  EmailRequested: { category: 'email', title: 'Email requested', isTechnical: true, targets: ofEmailTo },
  EmailSent: { category: 'email', title: 'Email sent', targets: ofEmailTo },
  EmailFailed: { category: 'email', title: 'Email failed', targets: ofEmailTo },
  EmailRetried: { category: 'email', title: 'Email retried', targets: ofEmail },
  EmailPaused: { category: 'email', title: 'Email paused', targets: ofEmail },
  EmailResumed: { category: 'email', title: 'Email resumed', targets: ofEmail },
  EmailRescheduled: { category: 'email', title: 'Email rescheduled', targets: ofEmail },
  EmailDropped: { category: 'email', title: 'Email not sent', targets: ofEmail },
  MailingRequested: { category: 'email', title: 'Mailing requested', targets: ofMailing },
  MailingEmailsRequested: {
    category: 'email',
    title: 'Emails of a mailing requested',
    isTechnical: true,
    targets: ofMailing,
  },
  MailingClosed: { category: 'email', title: 'Mailing closed', isTechnical: true, targets: ofMailing },
  ValueReserved: {
    category: 'internal',
    title: 'Unique value reserved',
    isTechnical: true,
    targets: ofHolder,
  },
  ReservationReleased: {
    category: 'internal',
    title: 'Unique value released',
    isTechnical: true,
    targets: ofHolder,
  },
  AddressErased: { category: 'internal', title: 'Address erased', isTechnical: true, targets: ofNothing },
  QuotaItemAdded: { category: 'internal', title: 'Quota item added', isTechnical: true, targets: ofNothing },
  CodeIssued: {
    category: 'internal',
    title: 'Code issued',
    isTechnical: ({ purpose }) => purpose !== 'project_invitation',
    targets: ofNothing,
  },
  CodeAttempted: { category: 'internal', title: 'Code entered', isTechnical: true, targets: ofNothing },
  CodeUsed: { category: 'internal', title: 'Code used', isTechnical: true, targets: ofNothing },
  CodeApproved: { category: 'session', title: 'CLI login approved', targets: ofUser },
  CodeAnonymousSessionHandedOver: {
    category: 'internal',
    title: 'Anonymous session handed over',
    isTechnical: true,
    targets: ofNothing,
  },
  CodeRevoked: { category: 'internal', title: 'Code revoked', isTechnical: true, targets: ofNothing },
  ProviderTokensStored: { category: 'internal', title: 'Provider tokens stored', isTechnical: true, targets: ofUser },
  ProviderTokensDiscarded: {
    category: 'internal',
    title: 'Provider tokens discarded',
    isTechnical: true,
    targets: ofUser,
  },
  RequestDecided: { category: 'internal', title: 'Idempotency key used', isTechnical: true, targets: ofNothing },
  WebhookEndpointCreated: { category: 'webhook', title: 'Webhook endpoint created', targets: ofEndpoint },
  WebhookEndpointUpdated: { category: 'webhook', title: 'Webhook endpoint changed', targets: ofEndpoint },
  WebhookSecretRotated: { category: 'webhook', title: 'Webhook secret rotated', targets: ofEndpoint },
  WebhookSecretRead: { category: 'webhook', title: 'Webhook secret shown', targets: ofEndpoint },
  WebhookEndpointEnabled: { category: 'webhook', title: 'Webhook endpoint enabled', targets: ofEndpoint },
  WebhookEndpointDisabled: { category: 'webhook', title: 'Webhook endpoint disabled', targets: ofEndpoint },
  WebhookEndpointDeleted: { category: 'webhook', title: 'Webhook endpoint deleted', targets: ofEndpoint },
};

/** By event type; undefined for one that this code does not know. */
export const auditTypeOf = (type: string): AuditType | undefined =>
  (auditTypes as Readonly<Record<string, AuditType<never>>>)[type] as AuditType | undefined;

export function isTechnicalEvent({ isTechnical }: AuditType, data: Record<string, unknown>): boolean {
  return typeof isTechnical === 'function' ? isTechnical(data) : isTechnical === true;
}

/** All, or those of a category or with a property. */
export const listAuditTypes = (isMeant: (type: AuditType) => boolean): string[] =>
  Object.keys(auditTypes).filter((type) => {
    const found = auditTypeOf(type);
    return found !== undefined && isMeant(found);
  });
