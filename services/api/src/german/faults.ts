import { z } from 'zod';
import type { FaultTexts } from '../http/english-faults.ts';
import { createTranslation } from './translate-text.ts';

/** By the English text; `{}` stands for a value, which is translated too if it is a key. */
export const germanOwnFaults: Readonly<Record<string, string>> = {
  'is required': 'ist erforderlich',
  'is required without user_id': 'ist ohne user_id erforderlich',
  'must be a UUID': 'muss eine UUID sein',
  'must be a URL': 'muss eine URL sein',
  'must be an HTTPS URL': 'muss eine HTTPS-URL sein',
  'must be a color like #1a2b3c': 'muss eine Farbe wie #1a2b3c sein',
  'must be an absolute URL without spaces': 'muss eine absolute URL ohne Leerzeichen sein',
  'must be an email address': 'muss eine E-Mail-Adresse sein',
  'must be an email address with a full domain name': 'muss eine E-Mail-Adresse mit vollständigem Domainnamen sein',
  'must be an IP address or a network': 'muss eine IP-Adresse oder ein Netz sein',
  'must be a time in milliseconds or the ID of an event':
    'muss eine Zeit in Millisekunden oder die ID eines Ereignisses sein',
  'must be a request ID': 'muss eine Anfrage-ID sein',
  'must be true': 'muss true sein',
  'must be false': 'muss false sein',
  'must not be null': 'darf nicht null sein',
  'must not be empty': 'darf nicht leer sein',
  'must not be larger than {} bytes as JSON': 'darf als JSON nicht größer als {} Bytes sein',
  'must not have more than {} entries': 'darf nicht mehr als {} Einträge haben',
  'must not have more than {} headers': 'darf nicht mehr als {} Header haben',
  'must be at most {} days': 'darf höchstens {} Tage umfassen',
  'must have {} characters': 'muss {} Zeichen haben',
  'must be printable ASCII': 'darf nur druckbare ASCII-Zeichen enthalten',
  'must be printable ASCII, not empty': 'darf nur druckbare ASCII-Zeichen enthalten und nicht leer sein',
  'must be the name of a header': 'muss der Name eines Headers sein',
  'must not name headers of the transport or of the signature':
    'darf keine Header nennen, die zur Übertragung oder zur Signatur gehören',
  'must be a date, or two with _ between': 'muss ein Datum sein oder zwei, getrennt durch _',
  'must be a point such as sign_ups:0-86400000:method:otp': 'muss ein Punkt wie sign_ups:0-86400000:method:otp sein',
  'must end after it begins': 'muss nach seinem Beginn enden',
  'must be a country code of two letters': 'muss ein Ländercode aus zwei Buchstaben sein',
  'must be country codes of two letters, separated by commas':
    'muss aus Ländercodes mit zwei Buchstaben bestehen, getrennt durch Kommas',
  'must be a comma-separated list of sign-in methods':
    'muss eine durch Kommas getrennte Liste von Anmeldemethoden sein',
  'must be a comma-separated list of types or of categories with .*':
    'muss eine durch Kommas getrennte Liste von Typen oder von Kategorien mit .* sein',
  'must be a type of event, or the beginning of some with .*':
    'muss ein Ereignistyp sein oder der Anfang mehrerer mit .*',
  'No event of these types has a field of filter or group_by.':
    'Kein Ereignis dieser Typen hat ein Feld aus filter oder group_by.',
  'until_millis must be after from_millis': 'until_millis muss nach from_millis liegen',
  'until_millis must be greater than from_millis': 'until_millis muss größer als from_millis sein',
  'must have either after or since_millis': 'muss entweder after oder since_millis haben',
  'must have either user_ids or filters': 'muss entweder user_ids oder filters haben',
  'must have team_id for add_to_team, and permission_id for grant_permission':
    'muss für add_to_team eine team_id und für grant_permission eine permission_id haben',
  'must have either user_ids or all_users': 'muss entweder user_ids oder all_users haben',
  'must have one of html, template_id and draft_id': 'muss html, template_id oder draft_id haben',
  'must have either template_id or template_tsx_source': 'muss entweder template_id oder template_tsx_source haben',
  'must not be combined with team_id': 'darf nicht mit team_id kombiniert werden',
  'requires is_impersonation': 'erfordert is_impersonation',
  'requires restricted_by_admin to be true': 'erfordert, dass restricted_by_admin true ist',
  'is required unless `mode` is `check` or `claim-anon-session`':
    'ist erforderlich, außer wenn `mode` den Wert `check` oder `claim-anon-session` hat',
  'is not a valid {} challenge': 'ist keine gültige Challenge der Art {}',
  'must be a SHA-256 hash in base64url': 'muss ein SHA-256-Hash in base64url sein',
  'must be a permission id': 'muss eine Berechtigungs-ID sein',
  'must consist of lower-case letters, digits, _ and :': 'darf nur Kleinbuchstaben, Ziffern, _ und : enthalten',
  'must be the id of a projection version': 'muss die ID einer Projektionsversion sein',
  'must be the cursor of a page': 'muss der Cursor einer Seite sein',
  'must be the next_cursor of a page of this list': 'muss der next_cursor einer Seite dieser Liste sein',
  'must be S256 for a project in production': 'muss für ein Projekt in Produktion S256 sein',
  'not known as of a moment of the past': 'für einen Zeitpunkt der Vergangenheit nicht bekannt',
  'this endpoint can’t show the past': 'dieser Endpunkt kann die Vergangenheit nicht zeigen',
  'the cursor does not belong to this request': 'Der Cursor gehört nicht zu dieser Anfrage',
  'before is not from a page of this history': 'before stammt nicht von einer Seite dieses Verlaufs',
  'send either cursor or after_event_id': 'Senden Sie entweder cursor oder after_event_id',
  'unknown category {}': 'unbekannte Kategorie {}',
  'unknown type {}': 'unbekannter Typ {}',

  'must begin with /': 'muss mit / beginnen',
  'must start with /': 'muss mit / beginnen',
  'must begin with https://': 'muss mit https:// beginnen',
  'must begin with http:// or https://': 'muss mit http:// oder https:// beginnen',
  'must have wildcards only in the host name': 'darf Platzhalter nur im Hostnamen haben',
  'must not have a wildcard': 'darf keinen Platzhalter haben',
  'must not have a wildcard as the port': 'darf keinen Platzhalter als Port haben',
  'has an invalid wildcard: the last two labels must not contain one; before them, a label can be ** (once) or contain one *, as in https://*.example.com or https://app-*.example.com':
    'hat einen ungültigen Platzhalter: Die letzten zwei Teile des Hostnamens dürfen keinen enthalten; davor kann ein Teil ** sein (einmal) oder ein * enthalten, wie in https://*.example.com oder https://app-*.example.com',
  'must be an ID of up to 63 lower-case letters, digits and -':
    'muss eine ID aus höchstens 63 Kleinbuchstaben, Ziffern und - sein',
  'is the ID of another sign-in method': 'ist die ID einer anderen Anmeldemethode',
  'must be a URL without user name, query, fragment or placeholder':
    'muss eine URL ohne Benutzernamen, Query, Fragment und Platzhalter sein',
  'must be the issuer, without /.well-known/openid-configuration':
    'muss der Aussteller sein, ohne /.well-known/openid-configuration',
  'body.issuer must be an https URL of a public host': 'body.issuer muss eine https-URL eines öffentlichen Hosts sein',
  'body.url must be an https URL of a public host': 'body.url muss eine https-URL eines öffentlichen Hosts sein',
  'The provider ID {}': 'Die Anbieter-ID {}',
  'The issuer {}': 'Der Aussteller {}',
  'A project can have {} OpenID Connect providers': 'Ein Projekt kann {} Anbieter mit OpenID Connect haben',
  'This password is on a list of common and breached passwords. Choose another one.':
    'Dieses Passwort steht auf einer Liste häufiger und bekannt gewordener Passwörter. Wählen Sie ein anderes.',
  'The body is larger than {} bytes.': 'Der Body ist größer als {} Bytes.',
};

const translate = createTranslation(germanOwnFaults);

/** The path of the field stays, as in `query.cursor: must be …`. */
function translateFault(text: string): string {
  const [, path, fault] = /^([a-z]+\.[\w.]+): (.+)$/s.exec(text) ?? [];
  return fault === undefined ? translate(text) : `${path}: ${translate(fault)}`;
}

export const germanFaults: FaultTexts = {
  list: (method, path) => `Die Anfrage ${method} ${path} hat Fehler:`,
  required: (path) => `${path} ist erforderlich`,
  unknownFields: (path, names) => `${path} hat unbekannte Felder: ${names}`,
  unstorableText: (path) => `${path} enthält Zeichen, die nicht gespeichert werden können`,
  unstorableKey: (path) => `${path} enthält einen Schlüssel, der nicht gespeichert werden kann`,
  issue: z.locales.de().localeError,
  own: translateFault,
};
