import type { UndoReason } from '@gatebook/commands/undo/reversibility';

export const germanUndoReasons: Readonly<Record<UndoReason, string>> = {
  'An earlier password, second factor or passkey may be known to others, so it is not restored.':
    'Ein früheres Passwort, ein früherer zweiter Faktor oder Passkey kann anderen bekannt sein und wird deshalb nicht wiederhergestellt.',
  'A connected account is a way to sign in. Connect or disconnect it instead.':
    'Ein verbundenes Konto ist ein Weg, sich anzumelden. Verbinden oder trennen Sie es stattdessen.',
  'Ended sessions stay ended.': 'Beendete Sitzungen bleiben beendet.',
  'Revoked API keys stay revoked. Create new ones.':
    'Widerrufene API-Schlüssel bleiben widerrufen. Erstellen Sie neue.',
  'Deleted data is erased.': 'Gelöschte Daten sind endgültig gelöscht.',
  'Merged users can’t be separated: what belonged to whom is erased.':
    'Zusammengeführte Benutzer können nicht getrennt werden: Was wem gehörte, ist endgültig gelöscht.',
  'An export can’t be taken back.': 'Ein Export kann nicht zurückgenommen werden.',
  'A code that was sent or used can’t be taken back.':
    'Ein Code, der gesendet oder verwendet wurde, kann nicht zurückgenommen werden.',
  'Emails that were requested are sent.': 'Angeforderte E-Mails werden gesendet.',
  'Emails are paused, resumed, rescheduled and retried, not restored.':
    'E-Mails werden angehalten, fortgesetzt, verschoben und erneut versucht, nicht wiederhergestellt.',
  'To undo a transfer, transfer the project back.':
    'Um eine Übertragung rückgängig zu machen, übertragen Sie das Projekt zurück.',
  'A user who signed up does not become anonymous again.':
    'Ein Benutzer, der sich registriert hat, wird nicht wieder anonym.',
  'To undo the creation of a user, delete the user.':
    'Um das Erstellen eines Benutzers rückgängig zu machen, löschen Sie den Benutzer.',
  'The user has proven to own the address.': 'Der Benutzer hat nachgewiesen, dass ihm die Adresse gehört.',
  'The address comes back only if nobody else signs in with it.':
    'Die Adresse kommt nur zurück, wenn sich niemand sonst mit ihr anmeldet.',
  'The user comes back without sessions and API keys.': 'Der Benutzer kommt ohne Sitzungen und API-Schlüssel zurück.',
  'To undo a sign-in, end the session.': 'Um eine Anmeldung rückgängig zu machen, beenden Sie die Sitzung.',
  'To undo the creation of a team, delete the team.':
    'Um das Erstellen eines Teams rückgängig zu machen, löschen Sie das Team.',
  'The member comes back with the permissions and the profile of then.':
    'Das Mitglied kommt mit seinen damaligen Berechtigungen und seinem damaligen Profil zurück.',
  'To undo the creation of a project, delete the project.':
    'Um das Erstellen eines Projekts rückgängig zu machen, löschen Sie das Projekt.',
  'Its grants count again, except those that were removed since.':
    'Ihre Zuweisungen gelten wieder, außer denen, die seither entfernt wurden.',
  'To undo the creation of a metric, delete the metric.':
    'Um das Erstellen einer Metrik rückgängig zu machen, löschen Sie die Metrik.',
  'To undo the change of a metric, change it back.':
    'Um die Änderung einer Metrik rückgängig zu machen, ändern Sie sie zurück.',
  'A deleted metric stays deleted. Create a new one: it counts the same events again.':
    'Eine gelöschte Metrik bleibt gelöscht. Erstellen Sie eine neue: Sie zählt dieselben Ereignisse noch einmal.',
  'To undo it, push the configuration again.': 'Um das rückgängig zu machen, übertragen Sie die Konfiguration erneut.',
  'To undo the creation of a key, revoke the key.':
    'Um das Erstellen eines Schlüssels rückgängig zu machen, widerrufen Sie den Schlüssel.',
  'The keys come from the configuration of the server.': 'Die Schlüssel kommen aus der Konfiguration des Servers.',
  'A revoked key stays revoked. Create a new one.':
    'Ein widerrufener Schlüssel bleibt widerrufen. Erstellen Sie einen neuen.',
  'To undo the creation of a webhook endpoint, delete the endpoint.':
    'Um das Erstellen eines Webhook-Endpunkts rückgängig zu machen, löschen Sie den Endpunkt.',
  'An earlier secret may be known to others, so it is not restored.':
    'Ein früheres Secret kann anderen bekannt sein und wird deshalb nicht wiederhergestellt.',
  'A secret that was shown can’t be taken back. Rotate it.':
    'Ein Secret, das angezeigt wurde, kann nicht zurückgenommen werden. Rotieren Sie es.',
  'A deleted webhook endpoint stays deleted. Create a new one.':
    'Ein gelöschter Webhook-Endpunkt bleibt gelöscht. Erstellen Sie einen neuen.',
  'A batch is undone by another batch, which undoes the change of each user.':
    'Eine Sammelaktion wird durch eine weitere rückgängig gemacht, die die Änderung jedes Benutzers rückgängig macht.',
  'A code that was issued stays valid.': 'Ein ausgestellter Code bleibt gültig.',
  'A revoked code or invitation stays revoked. Send a new one.':
    'Ein widerrufener Code und eine widerrufene Einladung bleiben widerrufen. Senden Sie eine neue.',
  'This version of Gatebook does not know the event.': 'Diese Version von Gatebook kennt das Ereignis nicht.',
  'The action has too many events.': 'Die Aktion hat zu viele Ereignisse.',
  'The grace period of the deletion is over.': 'Die Frist zur Wiederherstellung ist abgelaufen.',
  'The project is deleted. Restore it first.': 'Das Projekt ist gelöscht. Stellen Sie es zuerst wieder her.',
  'What the action changed no longer exists.': 'Was die Aktion geändert hat, gibt es nicht mehr.',
  'Earlier events can’t be read.': 'Frühere Ereignisse können nicht gelesen werden.',
  'Nothing was changed.': 'Es wurde nichts geändert.',
};
