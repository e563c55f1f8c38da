import type { AnyEmailType, EmailDropReason } from '@gatebook/domain/email/events';
import { type Language, languages } from '@gatebook/domain/email/languages';
import type { ProjectConfig, ProjectSecrets, ProjectSettings } from '@gatebook/domain/project/config';
import type { HandoverRole, ProjectRole } from '@gatebook/domain/project/roles';
import { type AuditTexts, inWords } from '../routes/audit/english-texts.ts';
import type { Details } from '../routes/history/history-details.ts';
import { shownText } from '../routes/history/shown-text.ts';
import { germanDate, quoted } from './history-texts.ts';
import { roleNames } from './role-names.ts';

type ChangedField =
  | keyof (ProjectConfig & ProjectSecrets & ProjectSettings)
  | ('displayName' | 'description' | 'isProductionMode')
  | ('url' | 'types' | 'ordering' | 'rateLimitPerSecond' | 'headers');

/** Fields of projects and webhook endpoints, as the dashboard calls them. */
const fieldNames: Readonly<Record<ChangedField, string>> = {
  displayName: 'Anzeigename',
  description: 'Beschreibung',
  isProductionMode: 'Produktivmodus',
  signUpEnabled: 'Registrierung',
  credentialEnabled: 'Anmeldung mit Passwort',
  magicLinkEnabled: 'Anmeldung mit E-Mail-Codes',
  passkeyEnabled: 'Anmeldung mit Passkeys',
  clientTeamCreationEnabled: 'Erstellen von Teams',
  clientUserDeletionEnabled: 'Kontolöschung',
  allowUserApiKeys: 'API-Schlüssel für Benutzer',
  allowTeamApiKeys: 'API-Schlüssel für Teams',
  allowLocalhost: 'localhost erlauben',
  createTeamOnSignUp: 'eigenes Team bei der Registrierung',
  oauthAccountMergeStrategy: 'Umgang mit bereits verwendeten E-Mail-Adressen',
  oauthProviders: 'OAuth-Anbieter',
  domains: 'vertrauenswürdige Domains',
  emailConfig: 'E-Mail-Server',
  teamCreatorDefaultPermissions: 'Standardberechtigungen für Ersteller von Teams',
  teamMemberDefaultPermissions: 'Standardberechtigungen für Teammitglieder',
  userDefaultPermissions: 'Standardberechtigungen für Benutzer',
  oauthClientSecrets: 'Client-Secrets der OAuth-Anbieter',
  emailPassword: 'Passwort des E-Mail-Servers',
  anonymousSignUpEnabled: 'anonyme Konten',
  keylessClientsAllowed: 'Clients ohne öffentlichen Schlüssel',
  quotas: 'Kontingente',
  securityNoticesEnabled: 'Sicherheitshinweise',
  breachedPasswordsRejected: 'Ablehnen kompromittierter Passwörter',
  minPasswordLength: 'Mindestlänge von Passwörtern',
  reauthenticationRequired: 'erneute Anmeldung vor sensiblen Änderungen',
  emailVerificationRequired: 'Pflicht zur Bestätigung der E-Mail-Adresse',
  sessionLifetimeHours: 'Dauer von Sitzungen',
  accessTokenLifetimeSeconds: 'Gültigkeit von Zugriffstokens',
  rejectionRetentionDays: 'Aufbewahrung fehlgeschlagener Anmeldungen',
  userDeletionGraceDays: 'Tage bis zur endgültigen Löschung von Benutzern',
  teamDeletionGraceDays: 'Tage bis zur endgültigen Löschung von Teams',
  projectDeletionGraceDays: 'Tage bis zur endgültigen Löschung des Projekts',
  branding: 'Branding',
  url: 'URL',
  types: 'Ereignistypen',
  ordering: 'Reihenfolge',
  rateLimitPerSecond: 'Rate-Limit',
  headers: 'Header',
};
const fieldName = (name: unknown) =>
  (fieldNames as Readonly<Record<string, string | undefined>>)[String(name)] ?? inWords(name);
const changed = (what: string) => (data: Details) =>
  Array.isArray(data.changed) && data.changed.length > 0
    ? `${what} geändert: ${data.changed.map(fieldName).join(', ')}`
    : `${what} geändert`;

/** The same as in the menus of the dashboard. */
export const germanLanguageNames: Readonly<Record<Language, string>> = {
  'en-US': 'Englisch',
  'de-DE': 'Deutsch',
  'es-ES': 'Spanisch',
  'fr-CA': 'Französisch (Kanada)',
  'fr-FR': 'Französisch',
  'it-IT': 'Italienisch',
  'ja-JP': 'Japanisch',
  'ko-KR': 'Koreanisch',
  'pt-BR': 'Portugiesisch (Brasilien)',
  'pt-PT': 'Portugiesisch (Portugal)',
  'zh-CN': 'Chinesisch (vereinfacht)',
  'zh-TW': 'Chinesisch (traditionell)',
};
const emailNames: Readonly<Record<string, string>> = {
  email_verification: 'Bestätigung der E-Mail-Adresse',
  password_reset: 'Zurücksetzen des Passworts',
  magic_link: 'Anmeldecode',
  team_invitation: 'Teameinladung',
  api_key_revoked: 'API-Schlüssel widerrufen',
  security_notice: 'Sicherheitshinweis',
  new_device_sign_in: 'Anmeldung auf einem neuen Gerät',
  sign_in_invitation: 'Einladung zur Anmeldung',
  webhook_failing: 'Gestörter Webhook',
  project_invitation: 'Projekteinladung',
  mailing: 'Mailing',
  test: 'Test',
} satisfies Record<AnyEmailType | 'test', string>;
const emailName = (type: unknown) => emailNames[String(type)] ?? inWords(type).replaceAll('_', ' ');

const templateOf = ({ templateType, language }: Details) => {
  const known = languages.find((each) => each === language);
  return `E-Mail-Vorlage${quoted(emailName(templateType))}${known ? ` auf ${germanLanguageNames[known]}` : ''}`;
};
const emailOf = ({ emailType }: Details) => `E-Mail${quoted(emailName(emailType))}`;
const dropReasons: Readonly<Record<string, string>> = {
  recipient_limit: 'zu viele E-Mails an diese Adresse',
  user_gone: 'den Benutzer gibt es nicht mehr',
  expired: 'abgelaufen',
  no_email_address: 'keine E-Mail-Adresse',
  unsubscribed: 'abbestellt',
  canceled: 'abgebrochen',
} satisfies Record<EmailDropReason, string>;

const metadataOf = ({ scope }: Details) =>
  scope === 'client' ? 'Client-Metadaten' : scope === 'server' ? 'Server-Metadaten' : 'Client-Metadaten (nur lesbar)';
const permissionText = (permission: string | null) => `Berechtigung${shownText(permission, ' ')}`;
const after = (value: unknown) => shownText(value, ': ');

type InvitationPayload = { role: ProjectRole; senderRole?: HandoverRole };

function invitationText({ role, senderRole }: InvitationPayload): string {
  if (senderRole === undefined) return `Jemanden mit der Rolle „${roleNames[role]}“ zum Projekt eingeladen`;
  const then = senderRole === 'none' ? 'keine Rolle mehr' : `die Rolle „${roleNames[senderRole]}“`;
  return `Projekt einem neuen Eigentümer angeboten; der Absender hat danach ${then}`;
}

const disabledTexts: Readonly<Record<string, string>> = {
  gone: ', weil sein Empfänger mit 410 geantwortet hat',
  failing: ', weil tagelang alle Zustellungen fehlgeschlagen sind',
};

const mailingNames: Readonly<Record<string, string>> = {
  transactional: 'Transaktions-Mailing',
  marketing: 'Marketing-Mailing',
};

const batchActions: Readonly<Record<string, string>> = {
  restrict: 'sperren',
  lift_restriction: 'Sperren aufheben',
  sign_out: 'abmelden',
  add_to_team: 'zu einem Team hinzufügen',
  grant_permission: 'eine Berechtigung erteilen',
  delete: 'löschen',
  undo: 'eine andere Sammelaktion rückgängig machen',
};
const batchEnds: Readonly<Record<string, string>> = {
  completed: 'Sammelaktion abgeschlossen',
  canceled: 'Sammelaktion abgebrochen',
  forbidden: 'Sammelaktion angehalten, weil ihr Urheber sie nicht mehr ausführen darf',
};

export const germanAuditTexts: AuditTexts = {
  ProjectDetailsChanged: changed('Angaben zum Projekt'),
  ProjectConfigChanged: changed('Konfiguration'),
  ProjectSettingsChanged: changed('Einstellungen'),
  ProjectPasswordMigrationChanged: ({ url }) =>
    url === null ? 'Passwort-Migration beendet' : 'Passwort-Migration geändert',
  EmailTemplateChanged: (data) => `${templateOf(data)} geändert`,
  EmailTemplateReset: (data) => `${templateOf(data)} zurückgesetzt`,
  PermissionDefinitionCreated: (_, { permission }) => `${permissionText(permission)} erstellt`,
  PermissionDefinitionChanged: (_, { permission }) => `${permissionText(permission)} geändert`,
  PermissionDefinitionDeleted: (_, { permission }) => `${permissionText(permission)} gelöscht`,
  CustomMetricDefined: ({ displayName }) => `Metrik${quoted(displayName)} erstellt`,
  CustomMetricChanged: ({ displayName }) => `Metrik${quoted(displayName)} geändert`,
  CustomMetricDeleted: () => 'Metrik gelöscht',
  ProjectOwnerAdded: () => 'Eigentümer des Projekts hinzugefügt',
  ProjectOwnerRemoved: () => 'Eigentümer des Projekts entfernt',
  ProjectMemberRoleChanged: ({ role }) =>
    `Rolle eines Mitglieds des Projekts in „${roleNames[role as ProjectRole]}“ geändert`,
  CodeIssued: ({ purpose, payload }) =>
    purpose === 'project_invitation' ? invitationText(payload as InvitationPayload) : 'Code ausgestellt',
  ProjectMemberRemoved: () => 'Mitglied des Projekts entfernt',
  ConfigOverrideChanged: ({ level }) => `Konfigurationsdokument geändert, Ebene ${level}`,
  UserBatchStarted: ({ action, userCount }) =>
    `Sammelaktion gestartet: ${batchActions[String(action)] ?? action}, ${userCount} Benutzer`,
  UserBatchEnded: ({ outcome }) => batchEnds[String(outcome)] ?? 'Sammelaktion beendet',
  UsersExported: ({ format, filters }) =>
    `${Array.isArray(filters) && filters.length > 0 ? 'Einige' : 'Alle'} Benutzer exportiert (${format})`,
  AuditLogExported: ({ format }) => `Audit-Log exportiert (${format})`,
  ProjectKeyCreated: ({ description }) => `Projektschlüssel${quoted(description)} erstellt`,
  ProjectKeyDescribed: ({ description }) =>
    `Beschreibung eines Projektschlüssels${shownText(description, ' in „', '“')} geändert`,
  ProjectKeyExpiryChanged: ({ expiresAt }) =>
    `Ablaufdatum eines Projektschlüssels in ${germanDate(expiresAt)} geändert`,
  TeamCreated: ({ displayName }) => `Team${quoted(displayName)} erstellt`,
  TeamRenamed: ({ displayName }) => `Teamname${shownText(displayName, ' in „', '“')} geändert`,
  TeamMetadataChanged: (data) => `${metadataOf(data)} des Teams geändert`,
  ApiKeyCreated: ({ description, ownerType }) =>
    `API-Schlüssel eines ${ownerType === 'team' ? 'Teams' : 'Benutzers'} erstellt${after(description)}`,
  ApiKeyChanged: ({ description }) => `API-Schlüssel geändert${after(description)}`,
  ApiKeyMoved: ({ description }) => `API-Schlüssel auf einen anderen Benutzer übertragen${after(description)}`,
  ApiKeyRevoked: ({ by }) =>
    by === 'scanner' ? 'API-Schlüssel öffentlich gefunden und widerrufen' : 'API-Schlüssel widerrufen',
  EmailSent: (data) => `${emailOf(data)} gesendet`,
  EmailFailed: (data) =>
    `${emailOf(data)} konnte nicht gesendet werden${data.isFinal ? '' : ' und wird erneut versucht'}`,
  EmailDropped: ({ reason }) => `E-Mail nicht gesendet: ${dropReasons[String(reason)] ?? reason}`,
  EmailRequested: (data) => `${emailOf(data)} angefordert`,
  WebhookEndpointCreated: ({ url }) =>
    `Webhook-Endpunkt${typeof url === 'string' ? ` bei ${new URL(url).origin}` : ''} erstellt`,
  WebhookEndpointUpdated: changed('Webhook-Endpunkt'),
  WebhookSecretRotated: () => 'Secret eines Webhook-Endpunkts rotiert',
  WebhookSecretRead: () => 'Secret eines Webhook-Endpunkts angesehen',
  WebhookEndpointEnabled: () => 'Webhook-Endpunkt aktiviert',
  WebhookEndpointDisabled: ({ reason }) => `Webhook-Endpunkt deaktiviert${disabledTexts[String(reason)] ?? ''}`,
  WebhookEndpointDeleted: () => 'Webhook-Endpunkt gelöscht',
  MailingRequested: ({ category }) => `${mailingNames[String(category)] ?? 'Mailing'} angefordert`,
};
