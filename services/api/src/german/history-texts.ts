import type { NotificationCategory } from '@gatebook/domain/email/categories';
import { providerNames } from '@gatebook/domain/project/provider-names';
import type { HistoryTexts } from '../routes/history/english-texts.ts';
import type { Details } from '../routes/history/history-details.ts';
import { shownText } from '../routes/history/shown-text.ts';

const methods: Readonly<Record<string, string>> = {
  password: 'mit einem Passwort',
  otp: 'mit einem E-Mail-Code',
  oauth: 'mit einem OAuth-Anbieter',
  passkey: 'mit einem Passkey',
  anonymous: 'anonym',
  server: 'durch einen Server',
  setup: 'mit dem Einrichtungslink',
  cli: 'über die Kommandozeile',
};
const howOf = ({ method }: Details) => methods[String(method)] ?? '';
const named = (value: unknown) => shownText(value, ' ');
/** What somebody wrote, inside a sentence. */
export const quoted = (value: unknown): string => shownText(value, ' „', '“');
const because = (value: unknown) => shownText(value, ': ');
const nameOfProvider = (id: unknown) => (typeof id === 'string' ? (providerNames[id] ?? id) : 'einem Anbieter');
const onOrOff = (isOn: unknown) => (isOn ? 'eingeschaltet' : 'ausgeschaltet');

/** Parts of a sentence that are empty are left out. It begins with a capital letter. */
function sentence(...parts: readonly string[]): string {
  const text = parts.filter((part) => part !== '').join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `2026-12-31T…` → `31.12.2026` */
export const germanDate = (time: unknown): string => String(time).slice(0, 10).split('-').reverse().join('.');

const passwordTexts: Readonly<Record<string, string>> = {
  sign_up: 'Passwort gewählt',
  set: 'Passwort festgelegt',
  update: 'Passwort geändert',
  reset: 'Passwort zurückgesetzt',
  server: 'Das Passwort wurde festgelegt',
  rehash: 'Das Passwort hat einen neuen Hash erhalten und ist gleich geblieben',
};
const sessionEndReasons: Readonly<Record<string, string>> = {
  password_update: ', weil das Passwort geändert wurde',
  password_reset: ', weil das Passwort zurückgesetzt wurde',
  password_by_server: ', weil das Passwort festgelegt wurde',
  password_removed: ', weil das Passwort entfernt wurde',
  upgrade: ', weil sich der anonyme Benutzer registriert hat',
  address_proven: ', weil die E-Mail-Adresse zum ersten Mal bestätigt wurde',
  activity_report: ', weil der Benutzer Aktivität gemeldet hat, die nicht von ihm war',
  restriction: ', weil ein Administrator den Benutzer gesperrt hat',
};
const metadataNames: Readonly<Record<string, string>> = {
  client: 'Client-Metadaten',
  client_read_only: 'Client-Metadaten (nur lesbar)',
  server: 'Server-Metadaten',
};
const categories: Readonly<Record<string, string>> = {
  transactional: 'Transaktions-E-Mails',
  marketing: 'Marketing-E-Mails',
} satisfies Record<NotificationCategory, string>;

/** A deleted team has no name. `articles`: before its name, and before a team without one. */
function teamOf({ team }: Details, [definite, indefinite]: readonly [string, string]): string {
  if (typeof team !== 'string') return `${indefinite} Team`.trimStart();
  return team === '' ? `${indefinite} Team ohne Namen`.trimStart() : `${definite} Team${quoted(team)}`.trimStart();
}
const plain = ['', ''] as const;
const inTeam = ['im', 'in einem'] as const;
const toTeam = ['zum', 'zu einem'] as const;
const fromTeam = ['aus dem', 'aus einem'] as const;

const joiningTexts: Readonly<Record<string, (details: Details) => string>> = {
  created: (details) => `${teamOf(details, plain)} erstellt`,
  sign_up: (details) => `${teamOf(details, plain)} bei der Registrierung als eigenes Team erhalten`,
  added: (details) => sentence(teamOf(details, toTeam), 'hinzugefügt'),
  invited: (details) => sentence('Einladung', teamOf(details, toTeam), 'angenommen'),
};
const permissionOf = ({ permission }: Details) => `Berechtigung${named(permission)}`;

export const germanHistoryTexts: HistoryTexts = {
  UserCreated: (details) =>
    details.method === 'server' ? 'Benutzer erstellt' : sentence(signUpOf(details), 'registriert'),
  UserRenamed: ({ displayName }) =>
    displayName === null ? 'Anzeigename entfernt' : `Anzeigename${shownText(displayName, ' in „', '“')} geändert`,
  UserImageChanged: ({ hasImage }) => (hasImage ? 'Profilbild geändert' : 'Profilbild entfernt'),
  UserMetadataChanged: ({ scope }) => `${metadataNames[String(scope)] ?? 'Metadaten'} geändert`,
  ContactChannelAdded: ({ value, isPrimary, isVerified, usedForAuth }) => {
    const marks = [isPrimary && 'primär', isVerified && 'bestätigt', usedForAuth && 'zur Anmeldung verwendet'];
    const shown = marks.filter(Boolean).join(', ');
    return `E-Mail-Adresse${named(value)} hinzugefügt${shownText(shown, ' (', ')')}`;
  },
  ContactChannelValueChanged: ({ value, isVerified }) =>
    `E-Mail-Adresse${shownText(value, ' in ')} geändert${isVerified ? ' (bestätigt)' : ''}`,
  ContactChannelVerificationChanged: ({ value, isVerified }) =>
    `E-Mail-Adresse${named(value)} ${isVerified ? 'bestätigt' : 'ist nicht mehr bestätigt'}`,
  ContactChannelProven: ({ value }) => `E-Mail-Adresse${named(value)} bestätigt`,
  ContactChannelAuthChanged: ({ value, usedForAuth }) =>
    `E-Mail-Adresse${named(value)} kann ${usedForAuth ? '' : 'nicht mehr '}zur Anmeldung verwendet werden`,
  PrimaryChannelChanged: ({ value, hasPrimary }) =>
    hasPrimary ? `E-Mail-Adresse${named(value)} als primär festgelegt` : 'Keine E-Mail-Adresse ist mehr primär',
  ContactChannelRemoved: ({ value }) => `E-Mail-Adresse${named(value)} entfernt`,
  UserPasswordSet: ({ origin }) => passwordTexts[String(origin)] ?? 'Das Passwort wurde festgelegt',
  PasswordResetRequested: () => 'E-Mail zum Zurücksetzen des Passworts angefordert',
  UserPasswordRemoved: () => 'Passwort entfernt',
  UserSessionsEnded: ({ reason, keptOne }) =>
    `${keptOne ? 'Alle anderen Sitzungen' : 'Alle Sitzungen'} beendet${sessionEndReasons[String(reason)] ?? ''}`,
  UserRestricted: ({ reason }) => `Von einem Administrator gesperrt${because(reason)}`,
  UserRestrictionChanged: ({ reason }) => `Sperre geändert${because(reason)}`,
  UserRestrictionLifted: () => 'Sperre aufgehoben',
  UserCountryCodeChanged: ({ countryCode }) =>
    countryCode === null ? 'Land entfernt' : `Land${shownText(countryCode, ' in ')} geändert`,
  UserRiskScoresChanged: () => 'Risikowerte geändert',
  OtpAuthChanged: ({ isEnabled, isBySignIn }) =>
    isBySignIn
      ? 'Anmeldung mit E-Mail-Codes eingeschaltet, indem einer verwendet wurde'
      : `Anmeldung mit E-Mail-Codes ${onOrOff(isEnabled)}`,
  UserUpgraded: (details) =>
    details.method === 'server'
      ? 'Zu einem regulären Benutzer gemacht'
      : sentence(howOf(details), 'registriert, mit derselben Benutzer-ID'),
  TotpSecretChanged: ({ isEnabled }) => `Zwei-Faktor-Authentifizierung ${onOrOff(isEnabled)}`,
  TotpUsed: () => 'Gültigen Code des zweiten Faktors eingegeben',
  TotpRejected: () => 'Falschen Code des zweiten Faktors eingegeben',
  SignInsThrottled: ({ failures, minutes }) =>
    failures === undefined || minutes === undefined
      ? 'Anmeldungen nach zu vielen Fehlversuchen gedrosselt'
      : `Anmeldungen nach ${failures} Fehlversuchen in ${minutesText(minutes)} gedrosselt`,
  PasskeyRegistered: () => 'Passkey registriert',
  PasskeyUsed: () => 'Passkey verwendet',
  PasskeyRemoved: () => 'Passkey entfernt',
  OAuthAccountLinked: ({ provider, email }) => `Konto${named(email)} bei ${nameOfProvider(provider)} verbunden`,
  OAuthAccountChanged: ({ provider, email, allowSignIn, allowConnectedAccounts }) =>
    `Konto${named(email)} bei ${nameOfProvider(provider)} geändert: Anmeldung ${onOrOff(allowSignIn)}, Zugriffstokens ${onOrOff(allowConnectedAccounts)}`,
  OAuthAccountUnlinked: ({ provider }) => `Verbindung mit dem Konto bei ${nameOfProvider(provider)} getrennt`,
  UserApiKeysRevoked: () => 'Alle API-Schlüssel widerrufen',
  NotificationPreferenceChanged: ({ category, isEnabled }) =>
    `${categories[String(category)] ?? 'Einige E-Mails'} ${onOrOff(isEnabled)}`,
  UserMerged: () => 'Alles von einem anderen Benutzer übernommen, der gelöscht wurde',
  UserExported: () => 'Personenbezogene Daten exportiert',
  ProjectPermissionGranted: (details) => `${permissionOf(details)} erteilt`,
  ProjectPermissionRevoked: (details) => `${permissionOf(details)} entzogen`,
  TeamSelected: (details) =>
    details.teamId === null ? 'Teamauswahl aufgehoben' : `${teamOf(details, plain)} ausgewählt`,
  TeamMemberAdded: (details) =>
    joiningTexts[String(details.how)]?.(details) ?? sentence('Mitglied', teamOf(details, inTeam), 'geworden'),
  TeamMemberRemoved: (details) =>
    details.how === 'left' ? `${teamOf(details, plain)} verlassen` : sentence(teamOf(details, fromTeam), 'entfernt'),
  TeamProfileChanged: (details) => `Profil ${teamOf(details, inTeam)} geändert`,
  TeamPermissionGranted: (details) => `${permissionOf(details)} ${teamOf(details, inTeam)} erteilt`,
  TeamPermissionRevoked: (details) => `${permissionOf(details)} ${teamOf(details, inTeam)} entzogen`,
  TeamPermissionUsed: (details) =>
    details.permission === '$remove_members'
      ? `Ein anderes Mitglied ${teamOf(details, fromTeam)} entfernt`
      : `${permissionOf(details)} ${teamOf(details, inTeam)} verwendet`,
  UserDeletionScheduled: ({ deleteAt }) =>
    `Benutzer gelöscht, kann ${typeof deleteAt === 'string' ? `bis ${germanDate(deleteAt)} ` : ''}wiederhergestellt werden`,
  UserDeletionCanceled: () => 'Benutzer wiederhergestellt',
  UserDeleted: ({ mergedIntoId }) =>
    mergedIntoId === undefined
      ? 'Benutzer samt personenbezogenen Daten endgültig gelöscht'
      : 'Mit einem anderen Benutzer zusammengeführt und samt personenbezogenen Daten endgültig gelöscht',
  UserErased: () => 'Endgültige Löschung der personenbezogenen Daten abgeschlossen',
  SessionStarted: (details) => {
    const place = shownText(details.ip, 'von ', ' aus');
    const why = because(details.impersonationReason);
    if (details.isImpersonation) {
      const span = typeof details.minutes === 'number' ? `für ${minutesText(details.minutes)}` : '';
      return `${sentence('Anmeldung als Benutzer', span, place, 'begonnen')}${why}`;
    }
    if (details.method === 'server') return `${sentence('Sitzung', place, 'begonnen')}${why}`;
    return `${sentence(howOf(details), place, 'angemeldet')}${why}`;
  },
  SessionEnded: ({ reason }) => sessionEndTexts[String(reason)] ?? 'Sitzung beendet',
};

const sessionEndTexts: Readonly<Record<string, string>> = {
  sign_out: 'Abgemeldet',
  quota: 'Am längsten nicht verwendete Sitzung beendet, weil es zu viele waren',
  code_replayed: 'Sitzung beendet, weil ihr Autorisierungscode zweimal verwendet wurde',
};

const minutesText = (minutes: unknown) => (minutes === 1 ? '1 Minute' : `${minutes} Minuten`);

function signUpOf(details: Details): string {
  if (!details.isAnonymous) return howOf(details);
  return details.method === 'anonymous'
    ? 'als anonymer Benutzer'
    : `${howOf(details)} als anonymer Benutzer`.trimStart();
}
