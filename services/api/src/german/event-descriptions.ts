import type { PublicEventType } from '@gatebook/domain/public-events/types';

export const germanEventDescriptions: Readonly<Record<PublicEventType, string>> = {
  'user.created': 'Ein Benutzer wurde erstellt, oder ein gelöschter Benutzer wurde wiederhergestellt.',
  'user.updated':
    'Etwas hat sich geändert, was das Benutzerobjekt zeigt, auch wenn das ausgewählte Team gelöscht oder wiederhergestellt wird.',
  'user.deleted': 'Ein Benutzer wurde gelöscht. Er kann noch wiederhergestellt werden; siehe `user.erased`.',
  'team.created': 'Ein Team wurde erstellt, oder ein gelöschtes Team wurde mit seinen Mitgliedern wiederhergestellt.',
  'team.updated': 'Ein Team hat sich geändert.',
  'team.deleted': 'Ein Team wurde mit seinen Mitgliedschaften gelöscht. Es kann noch wiederhergestellt werden.',
  'team_membership.created':
    'Ein Benutzer ist einem Team beigetreten oder zurückgekehrt. Wird vom Ersteller des Teams nicht gemeldet.',
  'team_membership.deleted':
    'Ein Benutzer hat ein Team verlassen, wurde entfernt oder gelöscht. Wird nicht gemeldet, wenn das Team gelöscht wird.',
  'team_permission.created':
    'Eine Berechtigung in einem Team wurde erteilt, auch standardmäßig einem neuen Mitglied, oder kam mit ihrem Benutzer zurück.',
  'team_permission.deleted': 'Eine Berechtigung in einem Team wurde entzogen.',
  'project_permission.created': 'Eine Berechtigung im Projekt wurde erteilt oder kam mit ihrem Benutzer zurück.',
  'project_permission.deleted': 'Eine Berechtigung im Projekt wurde entzogen.',
  'user.erased': 'Die Daten eines gelöschten Benutzers wurden vernichtet. Löschen Sie Ihre Kopie.',
  'user.signed_in': 'Ein Benutzer hat sich angemeldet. Die Daten sind die der Sitzung.',
  'user.sign_in_failed':
    'Ein falscher zweiter Faktor oder so viele fehlgeschlagene Anmeldungen, dass sie gedrosselt werden.',
  'user.sessions_revoked': 'Alle Sitzungen eines Benutzers wurden beendet, außer der behaltenen.',
  'user.api_keys_revoked': 'Alle API-Schlüssel eines Benutzers wurden widerrufen.',
  'session.created': 'Eine Sitzung wurde begonnen.',
  'session.ended': 'Ein Benutzer hat sich abgemeldet.',
  'session.revoked': 'Eine Sitzung wurde von anderen beendet.',
  'contact_channel.created': 'Eine E-Mail-Adresse wurde hinzugefügt oder kam mit ihrem Benutzer zurück.',
  'contact_channel.updated': 'Eine E-Mail-Adresse hat sich geändert, auch weil eine andere die primäre geworden ist.',
  'contact_channel.deleted': 'Eine E-Mail-Adresse wurde entfernt.',
  'passkey.created': 'Ein Passkey wurde registriert.',
  'passkey.deleted': 'Ein Passkey wurde entfernt.',
  'mfa.enabled': 'Die Zwei-Faktor-Authentifizierung wurde eingeschaltet.',
  'mfa.disabled': 'Die Zwei-Faktor-Authentifizierung wurde ausgeschaltet.',
  'connected_account.created': 'Ein Konto bei einem Anbieter wurde verbunden oder kam mit seinem Benutzer zurück.',
  'connected_account.updated': 'Ein verbundenes Konto hat sich geändert.',
  'connected_account.deleted': 'Ein verbundenes Konto wurde entfernt.',
  'api_key.created': 'Ein API-Schlüssel eines Benutzers oder eines Teams wurde erstellt.',
  'api_key.updated':
    'Ein API-Schlüssel hat sich geändert oder gehört einem anderen Benutzer, mit dem sein Besitzer zusammengeführt wurde.',
  'api_key.revoked': 'Ein API-Schlüssel wurde widerrufen.',
  'team_invitation.created': 'Jemand wurde in ein Team eingeladen.',
  'project.updated': 'Die Angaben oder die Konfiguration des Projekts haben sich geändert.',
  'project_key.created': 'Ein Projektschlüssel wurde erstellt.',
  'project_key.updated': 'Die Beschreibung eines Projektschlüssels hat sich geändert.',
  'project_key.revoked': 'Ein Projektschlüssel wurde widerrufen.',
  'permission_definition.created': 'Eine Berechtigung wurde definiert.',
  'permission_definition.updated':
    'Die Definition einer Berechtigung hat sich geändert. `previous` enthält ihre vorige ID: Nach einer Umbenennung haben frühere Ereignisse diese.',
  'permission_definition.deleted':
    'Die Definition einer Berechtigung wurde gelöscht. Ihre Zuweisungen wirken nicht mehr; für sie folgen keine Ereignisse.',
  'webhook_endpoint.disabled':
    'Ein Webhook-Endpunkt wurde von Hand, durch eine Antwort 410 oder nach Tagen mit Fehlern deaktiviert.',
};
