import { languageNames, languages } from '@gatebook/domain/email/languages';
import { type HandoverRole, type ProjectRole, roleName } from '@gatebook/domain/project/roles';
import type { Details } from '../history/history-details.ts';
import { shownText } from '../history/shown-text.ts';

/** The sentence about an event. `permission`: the ID of the permission that it concerns; null if it is not known. */
export type AuditText = (data: Details, names: { permission: string | null }) => string;

const properWords: Readonly<Record<string, string>> = {
  api: 'API',
  id: 'ID',
  oauth: 'OAuth',
  smtp: 'SMTP',
  url: 'URL',
};
/** `displayName` → `display name`, `allowUserApiKeys` → `allow user API keys` */
export const inWords = (name: unknown) =>
  String(name)
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\b\w+\b/g, (word) => properWords[word] ?? word);
const named = (value: unknown) => shownText(value, ' ');
const changed = (what: string) => (data: Details) =>
  Array.isArray(data.changed) && data.changed.length > 0 ? `${what}: ${data.changed.map(inWords).join(', ')}` : what;
const templateOf = ({ templateType, language }: Details) => {
  const template = `the email template ${String(templateType).replaceAll('_', ' ')}`;
  const known = languages.find((each) => each === language);
  return known ? `${template} in ${languageNames[known]}` : template;
};
const emailOf = ({ emailType }: Details) => {
  const name = `${inWords(emailType).replaceAll('_', ' ')} email`;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
};
const metadataOf = ({ scope }: Details) =>
  scope === 'client' ? 'client metadata' : scope === 'server' ? 'server metadata' : 'read-only client metadata';

type InvitationPayload = { role: ProjectRole; senderRole?: HandoverRole };

function invitationText({ role, senderRole }: InvitationPayload): string {
  if (senderRole === undefined) return `Invited somebody to the project as ${roleName(role)}`;
  const after = senderRole === 'none' ? 'without a role afterwards' : `${roleName(senderRole)} afterwards`;
  return `Offered the project to a new owner; the sender is ${after}`;
}

const disabledTexts: Readonly<Record<string, string>> = {
  gone: ', because its receiver answered 410',
  failing: ', because all deliveries failed for days',
};

const batchActions: Readonly<Record<string, string>> = {
  restrict: 'restrict',
  lift_restriction: 'lift restrictions',
  sign_out: 'sign out',
  add_to_team: 'add to a team',
  grant_permission: 'grant a permission',
  delete: 'delete',
  undo: 'undo another batch',
};
const batchEnds: Readonly<Record<string, string>> = {
  completed: 'Completed a batch of users',
  canceled: 'Canceled a batch of users',
  forbidden: 'Stopped a batch of users, because who started it is not allowed to continue',
};

const permissionText = (permission: string | null) =>
  permission === null ? 'a permission' : `the permission ${permission}`;

/** Events that no user's history shows. Types without a text have only their title. */
export const englishAuditTexts = {
  ProjectDetailsChanged: changed('Changed project details'),
  ProjectConfigChanged: changed('Changed the configuration'),
  ProjectSettingsChanged: changed('Changed settings'),
  ProjectPasswordMigrationChanged: ({ url }) =>
    url === null ? 'Turned the migration of passwords off' : 'Changed the migration of passwords',
  EmailTemplateChanged: (data) => `Changed ${templateOf(data)}`,
  EmailTemplateReset: (data) => `Reset ${templateOf(data)}`,
  PermissionDefinitionCreated: (_, { permission }) => `Created ${permissionText(permission)}`,
  PermissionDefinitionChanged: (_, { permission }) => `Changed ${permissionText(permission)}`,
  PermissionDefinitionDeleted: (_, { permission }) => `Deleted ${permissionText(permission)}`,
  CustomMetricDefined: ({ displayName }) => `Created a metric${quoted(displayName)}`,
  CustomMetricChanged: ({ displayName }) => `Changed a metric${quoted(displayName)}`,
  CustomMetricDeleted: () => 'Deleted a metric',
  ProjectOwnerAdded: () => 'Added an owner of the project',
  ProjectOwnerRemoved: () => 'Removed an owner of the project',
  ProjectMemberRoleChanged: ({ role }) => `Set the role of a member of the project to ${roleName(role as ProjectRole)}`,
  CodeIssued: ({ purpose, payload }) =>
    purpose === 'project_invitation' ? invitationText(payload as InvitationPayload) : 'Issued a code',
  ProjectMemberRemoved: () => 'Removed a member of the project',
  ConfigOverrideChanged: ({ level }) => `Changed the configuration document, level ${level}`,
  UserBatchStarted: ({ action, userCount }) =>
    `Started a batch: ${batchActions[String(action)] ?? action}, ${userCount} ${userCount === 1 ? 'user' : 'users'}`,
  UserBatchEnded: ({ outcome }) => batchEnds[String(outcome)] ?? 'A batch of users ended',
  UsersExported: ({ format, filters }) =>
    `Exported ${Array.isArray(filters) && filters.length > 0 ? 'some' : 'all'} users (${format})`,
  AuditLogExported: ({ format }) => `Exported the audit log (${format})`,
  ProjectKeyCreated: ({ description }) => `Created the project key${named(description)}`,
  ProjectKeyDescribed: ({ description }) => `Changed the description of a project key to${named(description)}`,
  ProjectKeyExpiryChanged: ({ expiresAt }) =>
    `Changed the expiration of a project key to ${String(expiresAt).slice(0, 10)}`,
  TeamCreated: ({ displayName }) => `Created the team${named(displayName)}`,
  TeamRenamed: ({ displayName }) => `Changed the team name${named(displayName) && ` to${named(displayName)}`}`,
  TeamMetadataChanged: (data) => `Changed ${metadataOf(data)} of the team`,
  ApiKeyCreated: ({ description, ownerType }) => `Created an API key of a ${ownerType}${quoted(description)}`,
  ApiKeyChanged: ({ description }) => `Changed an API key${quoted(description)}`,
  ApiKeyMoved: ({ description }) => `Moved an API key to another user${quoted(description)}`,
  ApiKeyRevoked: ({ by }) => (by === 'scanner' ? 'An API key was found in public and revoked' : 'Revoked an API key'),
  EmailSent: (data) => `Sent ${emailOf(data)}`,
  EmailFailed: (data) => `Could not send ${emailOf(data)}${data.isFinal ? '' : ', and tries again'}`,
  EmailDropped: ({ reason }) => `An email was not sent: ${String(reason).replaceAll('_', ' ')}`,
  EmailRequested: (data) => `Requested ${emailOf(data)}`,
  WebhookEndpointCreated: ({ url }) =>
    `Created a webhook endpoint${typeof url === 'string' ? ` at ${new URL(url).origin}` : ''}`,
  WebhookEndpointUpdated: changed('Changed a webhook endpoint'),
  WebhookSecretRotated: () => 'Rotated the secret of a webhook endpoint',
  WebhookSecretRead: () => 'Looked at the secret of a webhook endpoint',
  WebhookEndpointEnabled: () => 'Enabled a webhook endpoint',
  WebhookEndpointDisabled: ({ reason }) => `Disabled a webhook endpoint${disabledTexts[String(reason)] ?? ''}`,
  WebhookEndpointDeleted: () => 'Deleted a webhook endpoint',
  MailingRequested: ({ category }) => `Requested a ${category} mailing`,
} satisfies Readonly<Record<string, AuditText>>;

export type AuditTexts = Readonly<Record<keyof typeof englishAuditTexts, AuditText>>;

function quoted(value: unknown): string {
  return shownText(value, ': ');
}
