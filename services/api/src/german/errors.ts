import type { DomainErrorCode } from '@gatebook/domain/errors';
import type { QuotaName } from '@gatebook/domain/project/quotas';
import type { ProjectRole } from '@gatebook/domain/project/roles';
import type { ErrorFacts, ErrorText, OtherError } from '../http/english-errors.ts';
import { germanFaults } from './faults.ts';
import { roleNames } from './role-names.ts';
import { germanUndoReasons } from './undo-reasons.ts';

const keyNames = {
  client: 'öffentlichen Client-Schlüssel (x-stack-publishable-client-key)',
  server: 'geheimen Server-Schlüssel (x-stack-secret-server-key)',
  admin: 'geheimen Admin-Schlüssel (x-stack-super-secret-admin-key)',
};
const keySubjects = {
  client: 'Der öffentliche Client-Schlüssel (x-stack-publishable-client-key)',
  server: 'Der geheime Server-Schlüssel (x-stack-secret-server-key)',
  admin: 'Der geheime Admin-Schlüssel (x-stack-super-secret-admin-key)',
};
type KeyKind = keyof typeof keyNames;
const keyRequired = (...kinds: KeyKind[]) =>
  `Diese Anfrage erfordert einen ${kinds.map((kind) => keyNames[kind]).join(' oder einen ')} des Projekts.`;
const invalidKey =
  (kind: KeyKind) =>
  ({ project_id }: ErrorFacts) =>
    `${keySubjects[kind]} ist für das Projekt ${project_id} nicht gültig.`;
const formatTime = (millis: number) => new Date(millis).toISOString();
const toSecond = (millis: unknown) =>
  typeof millis === 'number' ? `${new Date(millis).toISOString().slice(0, 19)}Z` : String(millis);
const faultsOf = ({ message, inGerman }: ErrorFacts) => String(inGerman ?? germanFaults.own(String(message)));
const passkeyFault = ({ message }: ErrorFacts) => `Der Passkey wurde nicht angenommen: ${message}`;
const roleOf = (role: unknown) => `„${roleNames[role as ProjectRole] ?? role}“`;

const cursorTexts: Readonly<Record<string, string>> = {
  malformed: 'Der Cursor ist keiner des Ereignis-Feeds. Senden Sie einen `cursor` oder ein `next_after` unverändert.',
  other_project: 'Der Cursor gehört zu einem anderen Projekt.',
  other_log:
    'Der Cursor gehört zu einem anderen Log, etwa dem einer anderen Installation oder von vor einer Wiederherstellung.',
  ahead_of_log:
    'Das Log reicht nicht mehr bis zu dem Cursor, weil es aus einem älteren Backup wiederhergestellt wurde. Vergleichen Sie Ihre Daten, und fahren Sie dann mit `head` fort.',
};

const targetTexts: Readonly<Record<string, string>> = {
  malformed: 'Webhooks brauchen eine absolute URL.',
  credentials: 'Die URL darf weder Benutzernamen noch Passwort enthalten. Verwenden Sie stattdessen einen Header.',
  not_https: 'Die URL muss mit https beginnen.',
  port: 'Die URL muss Port 443, Port 80 oder einen Port ab 1024 verwenden.',
  private_network: 'Die URL führt in ein privates Netzwerk, auf diesen Rechner oder zu einem Metadatendienst.',
};

const quotaThings: Readonly<Record<QuotaName, string>> = {
  teamsPerUser: 'von einem Benutzer erstellten Teams',
  membershipsPerUser: 'Teams, denen ein Benutzer per Einladung beigetreten ist,',
  apiKeysPerUser: 'aktiven API-Schlüsseln eines Benutzers',
  apiKeysPerTeam: 'aktiven API-Schlüsseln eines Teams',
  contactChannelsPerUser: 'E-Mail-Adressen eines Benutzers',
  providerAccountsPerUser: 'verbundenen Konten eines Benutzers',
  sessionsPerUser: 'Sitzungen eines Benutzers',
  projectKeys: 'aktiven Schlüsselsätzen eines Projekts',
  domains: 'vertrauenswürdigen Domains eines Projekts',
  permissionDefinitions: 'definierten Berechtigungen eines Projekts',
  webhookEndpoints: 'Webhook-Endpunkten eines Projekts',
  projectsPerOwner: 'von einem Eigentümer erstellten Projekten',
};

export const germanErrors: Readonly<Record<DomainErrorCode, ErrorText>> = {
  UNSUPPORTED_ERROR: ({ originalErrorCode }) =>
    `Der Fehler ${originalErrorCode} ist neuer als dieser Client: Aktualisieren Sie die Client-Bibliothek.`,
  BODY_PARSING_ERROR: faultsOf,
  SCHEMA_ERROR: faultsOf,
  ALL_OVERLOADS_FAILED: ({ overload_errors }) =>
    `Die Anfrage entspricht keiner der Formen dieses Endpunkts: ${JSON.stringify(overload_errors)}`,

  PROJECT_KEY_WITHOUT_ACCESS_TYPE:
    'Ein Projektschlüssel wurde ohne den Header x-stack-access-type gesendet, der client, server oder admin sein muss.',
  INVALID_ACCESS_TYPE: ({ accessType }) =>
    `Der Header x-stack-access-type muss client, server oder admin sein, nicht „${accessType}“.`,
  ACCESS_TYPE_WITHOUT_PROJECT_ID: ({ request_type }) =>
    `Eine Anfrage mit der Zugriffsart ${request_type} erfordert den Header x-stack-project-id.`,
  ACCESS_TYPE_REQUIRED: 'Diese Anfrage erfordert die Header x-stack-access-type und x-stack-project-id.',
  INSUFFICIENT_ACCESS_TYPE: ({ actual_access_type, allowed_access_types }) =>
    `Diese Anfrage ist mit der Zugriffsart ${actual_access_type} nicht erlaubt, nur mit ${[allowed_access_types].flat().join(', ')}.`,
  INVALID_PUBLISHABLE_CLIENT_KEY: invalidKey('client'),
  INVALID_SECRET_SERVER_KEY: invalidKey('server'),
  INVALID_SUPER_SECRET_ADMIN_KEY: invalidKey('admin'),
  UNPARSABLE_ADMIN_ACCESS_TOKEN: 'Das Admin-Zugriffstoken konnte nicht geprüft werden.',
  ADMIN_ACCESS_TOKEN_EXPIRED: ({ expired_at_millis: at }) =>
    typeof at === 'number'
      ? `Das Admin-Zugriffstoken ist seit ${formatTime(at)} abgelaufen. Erneuern Sie es, und versuchen Sie es noch einmal.`
      : 'Das Admin-Zugriffstoken ist abgelaufen, oder seine Sitzung ist beendet. Erneuern Sie es, oder melden Sie sich wieder an.',
  INVALID_PROJECT_FOR_ADMIN_ACCESS_TOKEN:
    'Das Admin-Zugriffstoken, ausgestellt vom Projekt internal, gilt für ein Projekt, das es nicht mehr gibt.',
  ADMIN_ACCESS_TOKEN_IS_NOT_ADMIN: 'Das Admin-Zugriffstoken gehört keinem Eigentümer des Projekts.',
  CLIENT_AUTHENTICATION_REQUIRED: keyRequired('client'),
  SERVER_AUTHENTICATION_REQUIRED: keyRequired('server'),
  ADMIN_AUTHENTICATION_REQUIRED: keyRequired('admin'),
  CLIENT_OR_SERVER_AUTHENTICATION_REQUIRED: keyRequired('client', 'server'),
  CLIENT_OR_ADMIN_AUTHENTICATION_REQUIRED: keyRequired('client', 'admin'),
  CLIENT_OR_SERVER_OR_ADMIN_AUTHENTICATION_REQUIRED: keyRequired('client', 'server', 'admin'),
  EXPECTED_INTERNAL_PROJECT: 'Diese Anfrage ist nur für das Projekt internal erlaubt.',
  PROJECT_NOT_FOUND: ({ project_id }) => `Das Projekt ${project_id} gibt es nicht.`,
  BRANCH_DOES_NOT_EXIST: ({ branch_id }) => `Den Branch ${branch_id} gibt es nicht.`,

  UNPARSABLE_ACCESS_TOKEN: 'Das Zugriffstoken konnte nicht geprüft werden.',
  ACCESS_TOKEN_EXPIRED: ({ expired_at_millis: at }) =>
    typeof at === 'number'
      ? `Das Zugriffstoken ist seit ${formatTime(at)} abgelaufen. Erneuern Sie es, und versuchen Sie es noch einmal.`
      : 'Das Zugriffstoken ist nicht mehr gültig: Seine Sitzung ist beendet, oder der Benutzer hat sich geändert. Erneuern Sie es, oder melden Sie sich wieder an.',
  INVALID_PROJECT_FOR_ACCESS_TOKEN: ({ actual_project_id, expected_project_id }) =>
    `Das Zugriffstoken gilt für das Projekt ${actual_project_id}, nicht für ${expected_project_id}.`,
  REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED: 'Die Sitzung ist beendet oder abgelaufen. Melden Sie sich wieder an.',
  CANNOT_DELETE_CURRENT_SESSION:
    'Die aktuelle Sitzung kann nicht auf diese Weise gelöscht werden. Melden Sie sich stattdessen ab.',
  PROVIDER_REJECTED: 'Der Anbieter hat das Erneuern des Tokens abgelehnt. Melden Sie sich wieder an.',
  USER_AUTHENTICATION_REQUIRED: 'Diese Anfrage erfordert einen angemeldeten Benutzer.',
  CANNOT_GET_OWN_USER_WITHOUT_USER: 'Der Benutzer „me“ wurde angefordert, aber niemand ist angemeldet.',

  USER_NOT_FOUND: 'Diesen Benutzer gibt es nicht.',
  USER_ID_DOES_NOT_EXIST: ({ user_id }) => `Den Benutzer ${user_id} gibt es nicht.`,
  USER_EMAIL_ALREADY_EXISTS: ({ email }) => `Ein anderer Benutzer meldet sich bereits mit ${email} an.`,
  EMAIL_NOT_VERIFIED: 'Die E-Mail-Adresse ist nicht bestätigt.',
  EMAIL_ALREADY_VERIFIED: 'Die E-Mail-Adresse ist bereits bestätigt.',
  EMAIL_IS_NOT_PRIMARY_EMAIL: ({ email, primary_email }) =>
    primary_email === null || primary_email === undefined
      ? `${email} ist nicht die primäre E-Mail-Adresse; eine solche ist nicht gesetzt.`
      : `${email} ist nicht die primäre E-Mail-Adresse; diese ist ${primary_email}.`,
  EMAIL_NOT_ASSOCIATED_WITH_USER: 'Die E-Mail-Adresse gehört nicht zu diesem Benutzer.',
  CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE: ({ type, contact_channel_value: value }) => {
    const channel = type === 'email' ? 'dieser E-Mail-Adresse' : `diesem Kontaktweg (${type})`;
    return `Ein anderer Benutzer meldet sich bereits mit ${channel} an${value ? `: ${value}` : '.'}`;
  },

  RESTRICTED_USER_NOT_ALLOWED: ({ reason }) =>
    `Ein Administrator hat dieses Konto gesperrt${reason ? `: ${reason}` : '.'}`,

  SIGN_UP_NOT_ENABLED:
    'Die Registrierung ist für dieses Projekt ausgeschaltet. Bitten Sie den Eigentümer des Projekts, sie einzuschalten.',
  PASSWORD_AUTHENTICATION_NOT_ENABLED: 'Die Anmeldung mit einem Passwort ist für dieses Projekt ausgeschaltet.',
  PASSKEY_AUTHENTICATION_NOT_ENABLED: 'Die Anmeldung mit einem Passkey ist für dieses Projekt ausgeschaltet.',
  ANONYMOUS_ACCOUNTS_NOT_ENABLED: 'Anonyme Konten sind für dieses Projekt ausgeschaltet.',
  EMAIL_PASSWORD_MISMATCH: 'E-Mail-Adresse oder Passwort ist falsch.',
  USER_DOES_NOT_HAVE_PASSWORD: 'Dieser Benutzer hat kein Passwort.',
  PASSWORD_CONFIRMATION_MISMATCH: 'Das alte Passwort ist falsch.',
  PASSWORD_TOO_SHORT: ({ min_length }) => `Das Passwort ist zu kurz. Es muss mindestens ${min_length} Zeichen haben.`,
  PASSWORD_TOO_LONG: ({ maxLength }) => `Das Passwort ist zu lang. Es darf höchstens ${maxLength} Zeichen haben.`,
  MULTI_FACTOR_AUTHENTICATION_REQUIRED: 'Ein zweiter Faktor ist erforderlich.',
  INVALID_TOTP_CODE: 'Der Code des zweiten Faktors ist falsch.',
  PASSKEY_REGISTRATION_FAILED: passkeyFault,
  PASSKEY_AUTHENTICATION_FAILED: passkeyFault,
  PASSKEY_WEBAUTHN_ERROR: passkeyFault,
  REDIRECT_URL_NOT_WHITELISTED: 'Die Weiterleitungs-URL gehört zu keiner vertrauenswürdigen Domain des Projekts.',
  INVALID_POLLING_CODE: 'Der Abfragecode ist unbekannt.',
  CLI_AUTH_ERROR: 'Die Anmeldung der Kommandozeile ist fehlgeschlagen.',
  CLI_AUTH_EXPIRED_ERROR: 'Die Anmeldung der Kommandozeile ist abgelaufen.',
  CLI_AUTH_USED_ERROR: 'Die Anmeldung der Kommandozeile wurde bereits verwendet.',

  VERIFICATION_CODE_NOT_FOUND: 'Der Code ist in diesem Projekt unbekannt.',
  VERIFICATION_CODE_EXPIRED: 'Der Code ist abgelaufen.',
  VERIFICATION_CODE_ALREADY_USED: 'Der Code wurde bereits verwendet.',
  VERIFICATION_CODE_MAX_ATTEMPTS_REACHED: 'Zu viele Versuche mit diesem Code. Fordern Sie einen neuen an.',

  TEAM_NOT_FOUND: ({ team_id }) => `Das Team ${team_id} gibt es nicht.`,
  TEAM_ALREADY_EXISTS: ({ team_id }) => `Das Team ${team_id} gibt es bereits.`,
  TEAM_MEMBERSHIP_NOT_FOUND: ({ user_id, team_id }) =>
    `Der Benutzer ${user_id} ist kein Mitglied des Teams ${team_id}.`,
  TEAM_MEMBERSHIP_ALREADY_EXISTS: 'Der Benutzer ist bereits Mitglied des Teams.',
  TEAM_INVITATION_RESTRICTED_USER_NOT_ALLOWED:
    'Gesperrte und anonyme Benutzer können keine Einladungen in Teams annehmen.',
  TEAM_PERMISSION_REQUIRED: ({ user_id, permission_id, team_id }) =>
    `Dem Benutzer ${user_id} fehlt die Berechtigung ${permission_id} im Team ${team_id}.`,
  TEAM_PERMISSION_NOT_FOUND: ({ user_id, permission_id, team_id }) =>
    `Dem Benutzer ${user_id} wurde ${permission_id} im Team ${team_id} nicht erteilt.`,
  PROJECT_PERMISSION_REQUIRED: ({ user_id, permission_id }) =>
    `Dem Benutzer ${user_id} fehlt die Berechtigung ${permission_id}.`,
  PERMISSION_NOT_FOUND: ({ permission_id }) => `Die Berechtigung ${permission_id} gibt es nicht.`,
  WRONG_PERMISSION_SCOPE: ({ permission_id, actual_scope, expected_scope }) =>
    `Die Berechtigung ${permission_id} hat den Geltungsbereich ${actual_scope ?? 'unbekannt'}, nicht ${expected_scope}.`,
  CONTAINED_PERMISSION_NOT_FOUND: ({ permission_id }) =>
    `Die enthaltene Berechtigung ${permission_id} gibt es in diesem Geltungsbereich nicht.`,
  PERMISSION_ID_ALREADY_EXISTS: ({ permission_id }) => `Die Berechtigungs-ID ${permission_id} wird bereits verwendet.`,
  CUSTOMER_DOES_NOT_EXIST: ({ customer_id }) => `Den Kunden ${customer_id} gibt es nicht.`,

  INVALID_OAUTH_CLIENT_ID_OR_SECRET: ({ client_id }) =>
    `Die Client-ID (die Projekt-ID) oder das Secret (ein öffentlicher Client-Schlüssel) ist falsch${typeof client_id === 'string' ? `: ${client_id}` : ''}.`,
  INVALID_SCOPE: ({ scope }) => `Der Scope „${scope ?? ''}“ ist unbekannt.`,
  INVALID_AUTHORIZATION_CODE:
    'Der Autorisierungscode ist nicht gültig. Er ist vielleicht abgelaufen oder wurde bereits verwendet.',
  OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED: 'Der Anbieter ist für dieses Projekt nicht eingeschaltet.',
  OAUTH_PROVIDER_ACCESS_DENIED: 'Der Benutzer oder der Anbieter hat den Zugriff verweigert.',
  OUTER_OAUTH_TIMEOUT: 'Die Anmeldung hat zu lange gedauert. Melden Sie sich noch einmal an.',
  OAUTH_CONNECTION_NOT_CONNECTED_TO_USER: 'Der Benutzer hat kein verbundenes Konto bei diesem Anbieter.',
  OAUTH_ACCESS_TOKEN_NOT_AVAILABLE: ({ provider, details }) =>
    `Kein Zugriffstoken für das Konto bei ${provider}. ${details}`,
  OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN:
    'Dieses Konto bei dem Anbieter gehört bereits einem Benutzer des Projekts.',
  OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE: 'Das verbundene Konto hat die angeforderten Scopes nicht.',
  OAUTH_EXTRA_SCOPE_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS:
    'Zusätzliche Scopes erfordern eigene OAuth-Schlüssel für diesen Anbieter.',
  OAUTH_ACCESS_TOKEN_NOT_AVAILABLE_WITH_SHARED_OAUTH_KEYS:
    'Zugriffstoken dieses Anbieters erfordern eigene OAuth-Schlüssel.',
  OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER: 'Dieses Konto ist bereits mit einem anderen Benutzer verbunden.',
  USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION:
    'Der Benutzer ist bereits mit einem anderen Konto bei diesem Anbieter verbunden. Haben Sie das falsche Konto gewählt?',
  INVALID_SHARED_OAUTH_PROVIDER_ID: ({ provider_id }) =>
    `Für den Anbieter ${provider_id} gibt es keine gemeinsamen Schlüssel.`,
  INVALID_STANDARD_OAUTH_PROVIDER_ID: ({ provider_id }) => `Der Anbieter ${provider_id} ist unbekannt.`,

  API_KEY_NOT_FOUND: 'Diesen API-Schlüssel gibt es nicht.',
  WRONG_API_KEY_TYPE: ({ actual_type, expected_type }) =>
    `Das ist ein API-Schlüssel der Art ${actual_type}, erwartet wurde einer der Art ${expected_type}.`,
  API_KEY_REVOKED: ({ isOwnerRestricted }) =>
    isOwnerRestricted
      ? 'Der API-Schlüssel funktioniert nicht, solange sein Besitzer gesperrt ist.'
      : 'Der API-Schlüssel wurde widerrufen.',
  API_KEY_EXPIRED: 'Der API-Schlüssel ist abgelaufen.',
  PUBLIC_API_KEY_CANNOT_BE_REVOKED: 'Ein öffentlicher API-Schlüssel kann nicht auf diese Weise widerrufen werden.',
  EMAIL_TEMPLATE_ALREADY_EXISTS: 'Diese E-Mail-Vorlage gibt es bereits.',
  EMAIL_NOT_EDITABLE: ({ email_id, status }) =>
    `Die E-Mail ${email_id} kann nicht geändert werden, weil ihr Status ${status} ist.`,
  EMAIL_RENDERING_ERROR: ({ error }) => `Die E-Mail konnte nicht erstellt werden: ${error}`,
  REQUIRES_CUSTOM_EMAIL_SERVER: 'Richten Sie zuerst einen SMTP-Server für das Projekt ein.',

  AS_OF_IN_FUTURE: ({ now_millis }) => `Der Zeitpunkt liegt in der Zukunft. Jetzt ist es ${toSecond(now_millis)}.`,
  AS_OF_BEFORE_PROJECT: ({ created_at_millis }) =>
    `Zu diesem Zeitpunkt gab es das Projekt noch nicht. Es wurde erstellt am ${toSecond(created_at_millis)}.`,
  AS_OF_DISABLED: 'Die Vergangenheit kann nicht gelesen werden, weil dieser Server sie nicht aufbewahrt.',
  AS_OF_NOT_READY:
    'Die Vergangenheit wird noch bis zu diesem Zeitpunkt aufbereitet. Versuchen Sie es gleich noch einmal.',
  AUDIT_EVENT_NOT_FOUND: 'Dieses Ereignis gibt es nicht.',
  AUDIT_LOG_NOT_READY: 'Dem Audit-Log fehlen die neuesten Ereignisse. Versuchen Sie es gleich noch einmal.',
  EVENT_CURSOR_INVALID: ({ reason }) => cursorTexts[String(reason)] ?? 'Der Cursor ist nicht gültig.',
  EVENT_NOT_FOUND: 'Kein Ereignis dieses Projekts hat diese ID.',
  LIVE_STREAM_LIMIT_REACHED:
    'Zu viele Live-Streams sind offen. Schließen Sie einen, oder versuchen Sie es später noch einmal.',
  CUSTOM_METRIC_LIMIT_REACHED: ({ limit }) =>
    `Ein Projekt kann ${limit} eigene Metriken haben. Löschen Sie zuerst eine.`,
  CUSTOM_METRIC_NOT_FOUND: 'Diese eigene Metrik gibt es nicht.',
  USER_BATCH_NOT_FOUND: 'Diese Sammelaktion gibt es nicht.',
  USER_BATCH_OUTDATED: ({ count }) =>
    `Jetzt passen ${count} Benutzer. Es wurde nichts gestartet. Rufen Sie die Vorschau noch einmal ab.`,
  USER_BATCH_RUNNING:
    'Eine Sammelaktion dieses Projekts läuft noch. Warten Sie, bis sie endet, oder brechen Sie sie ab.',
  USER_BATCH_TOO_LARGE: ({ limit }) => `Mehr als ${limit} Benutzer passen. Schränken Sie die Filter ein.`,
  WEBHOOK_DELIVERY_NOT_FOUND: 'Diese Webhook-Zustellung gibt es nicht.',
  WEBHOOK_REPLAY_NOT_FOUND: 'Diese Wiederholung gibt es nicht.',
  WEBHOOK_ENDPOINT_NOT_FOUND: 'Diesen Webhook-Endpunkt gibt es nicht.',
  WEBHOOK_URL_NOT_ALLOWED: ({ reason }) =>
    targetTexts[String(reason)] ?? 'An diese URL können keine Webhooks gesendet werden.',
  LAST_PROJECT_OWNER: 'Ein Projekt braucht einen Eigentümer. Machen Sie zuerst jemand anderen zum Eigentümer.',
  PROJECT_TRANSFER_TO_SENDER:
    'Sie haben diese Übertragung gesendet. Der neue Eigentümer muss sie mit seinem eigenen Konto annehmen.',
  PROJECT_MEMBER_NOT_FOUND: 'Das Projekt hat kein solches Mitglied.',
  PROJECT_ROLE_REQUIRED: ({ role, required_role }) =>
    `Ihre Rolle in diesem Projekt ist ${roleOf(role)}. Dafür ist die Rolle ${roleOf(required_role)} nötig.`,
  REJECTION_NOT_FOUND: 'Keine fehlgeschlagene Anfrage dieses Projekts mit dieser ID ist bekannt.',
  PREVIEW_NOT_SUPPORTED: 'Diese Anfrage hat keine Vorschau. Senden Sie sie ohne If-Match.',
  PREVIEW_OUTDATED:
    'Etwas, worauf die Vorschau beruht, hat sich geändert. Es wurde nichts geschrieben. Rufen Sie die Vorschau noch einmal ab.',
  ACTION_NOT_FOUND: 'Diese Aktion gibt es nicht, oder sie hat nichts geändert.',
  ACTION_NOT_REVERSIBLE: ({ reasons, reasonsInGerman }) =>
    [
      'Diese Aktion kann nicht rückgängig gemacht werden.',
      ...[reasonsInGerman ?? reasons].flat().map(germanReason),
    ].join(' '),
  ACTION_ALREADY_UNDONE: ({ by_action_id }) =>
    `Diese Aktion wurde bereits durch die Aktion ${by_action_id} rückgängig gemacht.`,
  UNDO_CONFLICT:
    'Die Aktion kann nicht rückgängig gemacht werden, weil sich einige ihrer Felder seither geändert haben. Es wurde nichts geschrieben.',

  USER_ALREADY_HAS_PASSWORD: 'Der Benutzer hat bereits ein Passwort. Ändern Sie es stattdessen.',
  PASSWORD_REQUIRES_PRIMARY_EMAIL: 'Ein Passwort erfordert eine primäre E-Mail-Adresse.',
  PASSWORD_METHOD_DISABLED: 'Die Anmeldung mit Passwort ist für dieses Projekt ausgeschaltet.',
  PASSWORD_AND_HASH: 'Senden Sie entweder ein Passwort oder einen Passwort-Hash, nicht beides.',
  PASSWORD_HASH_INVALID:
    'Der Passwort-Hash muss bcrypt, Argon2id, scrypt, Firebase scrypt oder PBKDF2 in einer dokumentierten Textform sein, und seine Prüfung darf nicht mehr als etwa zwei Sekunden und 256 MiB brauchen.',
  USER_ID_TAKEN: 'Diese ID gehört einem anderen Benutzer oder einem Team, einem Projekt oder einer E-Mail.',
  SIGN_UP_TIME_IN_FUTURE: 'Der Zeitpunkt der Registrierung darf nicht in der Zukunft liegen.',
  USER_MERGE_WITH_ITSELF:
    'Ein Benutzer kann nicht mit sich selbst zusammengeführt werden. Wählen Sie einen anderen aus.',
  USER_MERGE_OF_PROJECT_MEMBER:
    'Der Benutzer, der zusammengeführt werden soll, ist Mitglied von Projekten. Geben Sie seine Rollen dem Benutzer, der bleibt, und entfernen Sie ihn dort.',
  OTP_METHOD_DISABLED: 'Die Anmeldung mit einem E-Mail-Code ist für dieses Projekt ausgeschaltet.',
  EMAIL_FLAG_WITHOUT_EMAIL:
    'Ohne primäre E-Mail-Adresse eines Benutzers kann diese weder bestätigt noch zur Anmeldung verwendet werden.',
  CLIENT_USER_DELETION_DISABLED: 'Dieses Projekt erlaubt Benutzern nicht, ihre Konten zu löschen.',
  CLIENT_IMAGE_INVALID: 'Das Profilbild muss eine base64-Daten-URL eines Bildes in PNG, JPEG, GIF, BMP oder WebP sein.',
  PASSKEY_NOT_SETTABLE:
    'Die Anmeldung mit einem Passkey kann nicht direkt eingeschaltet werden. Der Benutzer muss einen Passkey registrieren.',
  OTHER_USER_NOT_ALLOWED: 'Der Zugriff von Clients ist auf den angemeldeten Benutzer beschränkt.',
  IMPERSONATION_NOT_ALLOWED:
    'Wer als ein Benutzer angemeldet ist, kann das nicht. Der Benutzer muss sich selbst anmelden und es tun.',
  REAUTHENTICATION_REQUIRED:
    'Melden Sie sich noch einmal an. Das erfordert eine Anmeldung innerhalb der letzten 10 Minuten.',
  SESSION_NOT_FOUND: 'Sitzung nicht gefunden.',
  DEFAULT_PERMISSION_UNKNOWN: 'Eine Standardberechtigung gibt es in ihrem Geltungsbereich nicht.',
  INTERNAL_PROJECT_NOT_DELETABLE: 'Das Projekt internal kann nicht gelöscht werden.',
  INTERNAL_PROJECT_NOT_TRANSFERABLE: 'Das Projekt internal kann nicht übertragen werden.',
  TOKEN_OWNER_NOT_FOUND: 'Den Benutzer des Admin-Zugriffstokens gibt es nicht mehr.',
  PROJECT_KEYS_MISSING: 'Projekt nicht gefunden.',
  SETUP_ALREADY_COMPLETED: 'Der Einrichtungslink ist ungültig, oder die Einrichtung ist bereits abgeschlossen.',
  OTP_SIGN_IN_DISABLED: 'Die Anmeldung mit einem E-Mail-Code ist für dieses Projekt ausgeschaltet.',
  EMAIL_CHANNEL_NOT_FOUND: 'Der Benutzer hat keinen solchen Kontaktweg.',
  CHANNEL_OF_ANOTHER_USER: 'Der Zugriff von Clients ist auf die Kontaktwege des angemeldeten Benutzers beschränkt.',
  CONTACT_CHANNEL_EXISTS: 'Der Benutzer hat bereits einen Kontaktweg mit diesem Wert.',
  CONTACT_CHANNEL_NOT_FOUND: 'Der Benutzer hat keinen solchen Kontaktweg.',
  OAUTH_ACCOUNT_NOT_FOUND: 'Der Benutzer hat kein solches Konto bei einem Anbieter.',
  LAST_SIGN_IN_METHOD:
    'Der Benutzer hat keinen anderen Weg, sich anzumelden. Legen Sie zuerst ein Passwort fest, registrieren Sie einen Passkey, oder verbinden Sie ein anderes Konto.',
  UNVERIFIED_EMAIL_LIMIT_REACHED:
    'Der Benutzer hat zu viele nicht bestätigte E-Mail-Adressen. Bestätigen oder löschen Sie zuerst eine.',
  CLI_LOGIN_CODE_INVALID: 'Der Anmeldecode ist unbekannt, abgelaufen oder bereits verwendet.',
  CLI_LOGIN_OF_ANOTHER_PROJECT:
    'Der Anmeldecode gehört zu einem anderen Projekt. Prüfen Sie die App-URL, die die Kommandozeile verwendet.',
  NOTIFICATION_CATEGORY_REQUIRED: 'E-Mails dieser Kategorie können nicht abbestellt werden.',
  NOTIFICATION_CATEGORY_NOT_FOUND: 'Benachrichtigungskategorie nicht gefunden.',
  CLI_ANONYMOUS_SESSION_NOT_FOUND:
    'Keine anonyme Sitzung wartet: Die Kommandozeile hatte keine, oder sie ist beendet oder wurde bereits übergeben.',
  EMAIL_NOT_FOUND: 'E-Mail nicht gefunden.',
  EMAIL_TEMPLATE_NOT_FOUND: 'E-Mail-Vorlage nicht gefunden.',
  EMAIL_THEME_NOT_FOUND: 'E-Mail-Design nicht gefunden. Gatebook hat keine Designs.',
  EMAIL_DRAFT_NOT_FOUND: 'E-Mail-Entwurf nicht gefunden. Gatebook hat keine Entwürfe.',
  EMAIL_TEMPLATES_FIXED:
    'Gatebook hat keine E-Mail-Designs, keine Entwürfe und außer den eingebauten keine Vorlagen. Ändern Sie stattdessen diese.',
  EMAIL_SCHEDULED_TOO_LATE: 'Die E-Mail läuft vor diesem Zeitpunkt ab.',
  EMAIL_CONTENT_NOT_EDITABLE:
    'Inhalt und Empfänger einer E-Mail können nicht geändert werden. Brechen Sie die E-Mail ab, und senden Sie eine andere.',
  EMAIL_NOT_RETRYABLE:
    'Die E-Mail kann nicht noch einmal gesendet werden: Sie wurde gesendet, wartet auf den Versand oder ist abgelaufen.',
  EMAIL_CONFIG_SHARED: 'Vorlagen können nur geändert werden, wenn das Projekt seinen eigenen Mailserver verwendet.',
  EMAIL_TEST_RECIPIENT_MISSING:
    'Testnachrichten von Vorlagen gehen an das angemeldete Mitglied, das dafür eine E-Mail-Adresse braucht.',
  EMAIL_CONTENT_INVALID: 'Der Inhalt ist keine gültige E-Mail-Vorlage.',
  EMAIL_TEMPLATE_ALREADY_DEFAULT: 'Die Vorlage ist bereits die Standardvorlage.',
  PERMISSION_CYCLE:
    'Eine Berechtigung kann sich nicht selbst enthalten, weder direkt noch durch andere Berechtigungen.',
  CLIENT_TEAM_CREATION_DISABLED: 'Dieses Projekt erlaubt Benutzern nicht, Teams zu erstellen.',
  TEAM_CREATOR_AMBIGUOUS: 'Senden Sie entweder creator_user_id oder add_current_user, nicht beides.',
  TEAM_CREATOR_NOT_SIGNED_IN: 'add_current_user erfordert einen angemeldeten Benutzer.',
  TEAM_ID_MISSING: 'Anfragen von Clients müssen eine team_id senden.',
  IDEMPOTENCY_KEY_INVALID: 'Der Header Idempotency-Key muss 1 bis 255 druckbare ASCII-Zeichen ohne Leerzeichen haben.',
  IDEMPOTENCY_KEY_REUSED:
    'Dieser Idempotency-Key wurde für eine andere Anfrage verwendet. Verwenden Sie einen neuen Schlüssel.',
  REQUEST_STILL_RUNNING:
    'Eine Anfrage mit diesem Idempotency-Key wird noch bearbeitet. Versuchen Sie es gleich noch einmal.',
  RESPONSE_LOST:
    'Die Anfrage mit diesem Idempotency-Key wurde ausgeführt, aber die Antwort ist verloren. Lesen Sie die Ressource, um zu sehen, was sich geändert hat.',
  USER_API_KEYS_DISABLED: 'API-Schlüssel von Benutzern sind für dieses Projekt ausgeschaltet.',
  TEAM_API_KEYS_DISABLED: 'API-Schlüssel von Teams sind für dieses Projekt ausgeschaltet.',
  QUOTA_EXCEEDED: ({ quota, limit }) =>
    `Die Höchstzahl von ${limit} ${quotaThings[quota as QuotaName] ?? 'Einträgen'} ist erreicht. Löschen Sie zuerst etwas davon, oder bitten Sie den Eigentümer des Projekts, die Höchstzahl zu erhöhen.`,
  INVITATION_NOT_FOUND: 'Eine solche offene Einladung gibt es nicht.',
  PROJECTION_VERSION_NOT_FOUND: 'Projektionsversion nicht gefunden.',
  PROJECTION_VERSION_NOT_READY: 'Diese Projektionsversion wird noch aufgebaut.',
  PROJECTION_VERSION_STOPPED:
    'Eine Projektionsversion ist bei einem Ereignis stehen geblieben, das sie nicht anwenden kann.',
  PROJECTION_VERSION_BEHIND:
    'Diese Projektionsversion holt die Live-Version nicht ein. Prüfen Sie, ob ein Projektor läuft.',
  PROJECTION_VERSION_IN_USE:
    'Diese Projektionsversion ist die Live-Version, oder diese Version von Gatebook braucht sie.',
  PROJECTION_VERSION_INCOMPATIBLE:
    'Diese Projektionsversion gehört zu einer anderen Version von Gatebook. Nur diese kann sie aufbauen oder zur Live-Version machen.',
  READ_MODELS_NOT_BUILT: 'Diese Projektionsgruppe wird zum ersten Mal aufgebaut.',
  CROSS_SITE_REQUEST_NOT_ALLOWED:
    'Eine Seite einer anderen Website kann diese Anfrage nicht senden. Rufen Sie die API mit fetch auf, oder öffnen Sie die URL direkt.',
  OAUTH_COOKIE_MISSING:
    'Diese Anmeldung wurde nicht in diesem Browser begonnen oder ist bereits beendet. Gehen Sie zurück zur App, und melden Sie sich noch einmal an.',
  OAUTH_AUTHORIZATION_REQUEST_UNKNOWN:
    'Diese Anmeldung ist unbekannt oder bereits abgeschlossen. Melden Sie sich noch einmal an.',
  OAUTH_LINK_OF_ANOTHER_PROJECT: 'Das Zugriffstoken gehört zu einem anderen Projekt.',
  OAUTH_PROVIDER_CODE_REJECTED:
    'Der Anbieter hat den Autorisierungscode abgelehnt: Er ist falsch, abgelaufen oder bereits verwendet. Melden Sie sich noch einmal an.',
  OAUTH_PROVIDER_KEYS_REJECTED:
    'Der Anbieter hat Client-ID und Secret dieses Projekts abgelehnt. Der Eigentümer des Projekts muss sie berichtigen.',
  OAUTH_PROVIDER_SCOPE_REJECTED: 'Der Anbieter hat einen angeforderten Scope abgelehnt.',
  OAUTH_PROVIDER_RESPONSE_INVALID:
    'Die Antwort des Anbieters ist ungültig. Versuchen Sie es noch einmal, oder melden Sie sich auf andere Weise an.',
  OAUTH_PROVIDER_UNREACHABLE:
    'Der Anbieter hat nicht richtig oder nicht rechtzeitig geantwortet. Versuchen Sie es gleich noch einmal.',
  OAUTH_PROVIDER_EMAIL_MISSING:
    'Der Anbieter hat keine E-Mail-Adresse angegeben, die aber erforderlich ist. Erlauben Sie das dort, oder melden Sie sich auf andere Weise an.',
  USER_OAUTH_PROVIDER_UNKNOWN: 'Ein Anbieter des Benutzers ist für dieses Projekt nicht eingeschaltet.',
};

/** A reason that is the text of an error is in German already. */
const germanReason = (reason: unknown): string =>
  (germanUndoReasons as Readonly<Record<string, string>>)[String(reason)] ?? String(reason);

export const germanOtherErrors: Readonly<Record<OtherError, ErrorText>> = {
  ConcurrencyError:
    'Eine gleichzeitige Anfrage hat dasselbe geändert. Sie können es ohne Risiko noch einmal versuchen.',
  OverloadedError: 'Der Server ist überlastet. Versuchen Sie es gleich noch einmal.',
  ReadModelNotReadyError: 'Gatebook startet. Versuchen Sie es gleich noch einmal.',
  LogUnavailableError:
    'Schreiben ist nicht möglich, weil das Ereignis-Log nicht erreichbar ist. Versuchen Sie es gleich noch einmal.',
  AppendTooLargeError: 'Die Anfrage enthält mehr Daten, als das Ereignis-Log auf einmal annimmt.',
  AppendOutcomeUnknownError:
    'Das Ereignis-Log ist während dieses Schreibvorgangs ausgefallen. Prüfen Sie, ob er ausgeführt wurde, bevor Sie es noch einmal versuchen.',
  TooManyRequestsError: 'Zu viele Anfragen. Versuchen Sie es nach der Zeit im Header Retry-After noch einmal.',
  internal: ({ requestId }) =>
    `Interner Serverfehler. Wenn er weiter auftritt, senden Sie die Anfrage-ID ${requestId} an den Betreiber dieses Servers.`,
};
