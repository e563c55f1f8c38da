import type { GatebookEvent } from '@gatebook/domain/catalog';

type Data = Readonly<Record<string, unknown>>;
/** `class`: uid of the class. `activity`: null leaves the event out. */
export type OcsfEntry = {
  class: 3001 | 3002 | 3004 | 3005 | 3006 | 6003;
  activity: number | ((data: Data) => number | null);
  /** The kind of the managed entity: `type_id`, and its name where the ID is 99 (Other). */
  entity?: readonly [typeId: number, type: string];
  /** 1 success, 2 failure. */
  status?: 1 | 2;
  severity?: 1 | 2 | 3 | 4;
};
/** Why a type has no OCSF event. */
export type OcsfExemption = { exempt: string };
export type OcsfMap = Readonly<Record<GatebookEvent['type'] | 'CallRejected', OcsfEntry | OcsfExemption>>;

const user = [2, 'User'] as const;
const group = [3, 'Group'] as const;
const policy = [5, 'Policy'] as const;
const email = [6, 'Email'] as const;
const project = [99, 'Project'] as const;
const apiKey = [99, 'API key'] as const;
const projectKey = [99, 'Project key'] as const;
const webhook = [99, 'Webhook endpoint'] as const;
const metric = [99, 'Custom metric'] as const;

const account = (activity: OcsfEntry['activity']) => ({ class: 3001, activity }) as const;
const entity = (kind: OcsfEntry['entity'] & {}, activity: number, rest: Partial<OcsfEntry> = {}) =>
  ({ class: 3004, activity, entity: kind, ...rest }) as const;
const userChange = entity(user, 3);
const teamChange = entity(group, 3);
const projectChange = entity(project, 3);
const emailChange = entity(email, 3);
const factor = account(({ isEnabled }) => (isEnabled === true ? 10 : 11));
const step: OcsfExemption = { exempt: 'a step of another event' };
const internal: OcsfExemption = { exempt: 'internal, and of no interest to security' };

/** OCSF 1.8.0. Version 1.9 deprecates classes 3001 and 3005, so it will be a map of its own. */
const v1_8_0: OcsfMap = {
  UserCreated: account(1),
  UserDeleted: account(6),
  UserDeletionScheduled: account(5),
  UserDeletionCanceled: account(2),
  UserRestricted: account(5),
  UserRestrictionLifted: account(2),
  UserRestrictionChanged: userChange,
  UserUpgraded: userChange,
  UserRenamed: userChange,
  UserImageChanged: userChange,
  UserMetadataChanged: userChange,
  ContactChannelAdded: userChange,
  ContactChannelValueChanged: userChange,
  ContactChannelVerificationChanged: userChange,
  ContactChannelProven: userChange,
  ContactChannelAuthChanged: userChange,
  PrimaryChannelChanged: userChange,
  ContactChannelRemoved: userChange,
  UserCountryCodeChanged: userChange,
  UserRiskScoresChanged: userChange,
  TeamSelected: userChange,
  NotificationPreferenceChanged: userChange,
  TeamProfileChanged: userChange,
  UserErased: step,
  ReservationExpired: internal,
  UserPasswordSet: account(({ origin }) => {
    if (origin === 'rehash') return null;
    return origin === 'reset' || origin === 'server' ? 4 : 3;
  }),
  UserPasswordRemoved: account(3),
  PasswordResetRequested: account(4),
  TotpSecretChanged: factor,
  OtpAuthChanged: factor,
  PasskeyRegistered: account(10),
  PasskeyRemoved: account(11),
  TotpUsed: step,
  PasskeyUsed: step,
  TotpRejected: { class: 3002, activity: 1, status: 2, severity: 2 },
  SignInsThrottled: { class: 3002, activity: 1, status: 2, severity: 3 },
  OAuthAccountLinked: entity(user, 6),
  OAuthAccountChanged: userChange,
  OAuthAccountUnlinked: entity(user, 7),
  UserMerged: userChange,
  UserExported: entity(user, 2),
  SessionStarted: { class: 3002, activity: ({ isImpersonation }) => (isImpersonation === true ? 7 : 1) },
  SessionEnded: { class: 3002, activity: 2 },
  UserSessionsEnded: { class: 3002, activity: 2 },
  CodeApproved: { class: 3002, activity: 6 },
  ProjectPermissionGranted: { class: 3005, activity: 1 },
  ProjectPermissionRevoked: { class: 3005, activity: 2 },
  ProjectOwnerAdded: { class: 3005, activity: 1, severity: 2 },
  ProjectOwnerRemoved: { class: 3005, activity: 2, severity: 2 },
  ProjectMemberRoleChanged: { class: 3005, activity: 1, severity: 2 },
  ProjectMemberRemoved: { class: 3005, activity: 2, severity: 2 },
  TeamPermissionGranted: { class: 3006, activity: 1 },
  TeamPermissionRevoked: { class: 3006, activity: 2 },
  TeamPermissionUsed: step,
  TeamMemberAdded: { class: 3006, activity: 3 },
  TeamMemberRemoved: { class: 3006, activity: 4 },
  TeamCreated: { class: 3006, activity: 6 },
  TeamDeletionScheduled: { class: 3006, activity: 5 },
  TeamDeletionCanceled: teamChange,
  TeamDeleted: { class: 3006, activity: 5 },
  TeamRenamed: teamChange,
  TeamImageChanged: teamChange,
  TeamMetadataChanged: teamChange,
  ApiKeyCreated: entity(apiKey, 1),
  ApiKeyChanged: entity(apiKey, 3),
  ApiKeyMoved: entity(apiKey, 3),
  ApiKeyRevoked: entity(apiKey, 9),
  UserApiKeysRevoked: entity([99, 'API keys of a user'], 9),
  ProjectKeyCreated: entity(projectKey, 1),
  ProjectKeyDescribed: entity(projectKey, 3),
  ProjectKeyExpiryChanged: entity(projectKey, 3),
  ProjectKeyReplaced: entity(projectKey, 3),
  ProjectKeyRevoked: entity(projectKey, 9),
  WebhookEndpointCreated: entity(webhook, 1),
  WebhookEndpointUpdated: entity(webhook, 3),
  WebhookSecretRotated: entity(webhook, 3),
  WebhookSecretRead: entity(webhook, 2),
  WebhookEndpointEnabled: entity(webhook, 8),
  WebhookEndpointDisabled: entity(webhook, 9),
  WebhookEndpointDeleted: entity(webhook, 4),
  ProjectCreated: entity(project, 1),
  ProjectDeletionScheduled: entity(project, 9),
  ProjectDeletionCanceled: entity(project, 8),
  ProjectDeleted: entity(project, 4),
  ProjectClosed: step,
  ProjectDetailsChanged: projectChange,
  ProjectConfigChanged: projectChange,
  ProjectSettingsChanged: projectChange,
  ProjectPasswordMigrationChanged: projectChange,
  ProjectOwnerTeamChanged: projectChange,
  ConfigOverrideChanged: projectChange,
  ConfigSourceUnlinked: projectChange,
  UsersExported: entity([99, 'Users'], 2),
  AuditLogExported: entity([99, 'Audit log'], 2),
  EmailTemplateChanged: entity([99, 'Email template'], 3),
  EmailTemplateReset: entity([99, 'Email template'], 3),
  PermissionDefinitionCreated: entity(policy, 1),
  PermissionDefinitionChanged: entity(policy, 3),
  PermissionDefinitionDeleted: entity(policy, 4),
  CustomMetricDefined: entity(metric, 1),
  CustomMetricChanged: entity(metric, 3),
  CustomMetricDeleted: entity(metric, 4),
  EmailRequested: step,
  EmailSent: emailChange,
  EmailFailed: entity(email, 3, { status: 2 }),
  EmailRetried: emailChange,
  EmailPaused: emailChange,
  EmailResumed: emailChange,
  EmailRescheduled: emailChange,
  EmailDropped: entity(email, 4),
  MailingRequested: entity([99, 'Mailing'], 1),
  MailingEmailsRequested: step,
  MailingClosed: step,
  UserBatchStarted: entity([99, 'Batch of users'], 1),
  UserBatchEnded: step,
  ValueReserved: internal,
  ReservationReleased: internal,
  AddressErased: internal,
  QuotaItemAdded: internal,
  CodeIssued: step,
  CodeAttempted: step,
  CodeUsed: step,
  CodeAnonymousSessionHandedOver: step,
  CodeRevoked: step,
  ProviderTokensStored: internal,
  ProviderTokensDiscarded: internal,
  RequestDecided: internal,
  CallRejected: { class: 6003, activity: 99, status: 2, severity: 2 },
};

export const ocsfMaps = { '1.8.0': v1_8_0 } as const;
export type OcsfVersion = keyof typeof ocsfMaps;

/** Codes of failed sign-ins, which are no API activity. */
export const failedSignIns: ReadonlySet<string> = new Set([
  'EMAIL_PASSWORD_MISMATCH',
  'INVALID_TOTP_CODE',
  'PASSKEY_AUTHENTICATION_FAILED',
]);
