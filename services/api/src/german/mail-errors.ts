import { createTranslation } from './translate-text.ts';

/** By the English text; `{}` stands for a value. */
const germanMailErrors: Readonly<Record<string, string>> = {
  'The email addresses are invalid.': 'Die E-Mail-Adressen sind ungültig.',
  'The SMTP server asked to try again later.': 'Der SMTP-Server bittet darum, es später noch einmal zu versuchen.',
  'The SMTP server cannot accept the email right now.': 'Der SMTP-Server kann die E-Mail im Moment nicht annehmen.',
  'The SMTP server rejected the username or password.':
    'Der SMTP-Server hat den Benutzernamen oder das Passwort abgelehnt.',
  'The SMTP server rejected one of the email addresses.': 'Der SMTP-Server hat eine der E-Mail-Adressen abgelehnt.',
  'The SMTP server rejected the email.': 'Der SMTP-Server hat die E-Mail abgelehnt.',
  'The SMTP server rejected the content of the email.': 'Der SMTP-Server hat den Inhalt der E-Mail abgelehnt.',
  'The SMTP server did not accept the email.': 'Der SMTP-Server hat die E-Mail nicht angenommen.',
  '{} is in a private network, which is not allowed for SMTP servers of projects.':
    '{} liegt in einem privaten Netzwerk. Das ist für SMTP-Server von Projekten nicht erlaubt.',
  'The SMTP server {} was not found. Check the hostname.':
    'Der SMTP-Server {} wurde nicht gefunden. Prüfen Sie den Hostnamen.',
  'Could not sign in to the SMTP server. Check the username and password.':
    'Die Anmeldung beim SMTP-Server ist fehlgeschlagen. Prüfen Sie Benutzernamen und Passwort.',
  'The SMTP server {} did not respond in time. Check the host and port.':
    'Der SMTP-Server {} hat nicht rechtzeitig geantwortet. Prüfen Sie Host und Port.',
  'The connection to {} was refused. Check the host and port, and that the server is running.':
    'Die Verbindung zu {} wurde abgelehnt. Prüfen Sie Host und Port und ob der Server läuft.',
  '{} is unreachable. Check the host and the network of this server.':
    '{} ist nicht erreichbar. Prüfen Sie den Host und das Netzwerk dieses Servers.',
  'The certificate of the SMTP server {} is not trusted.':
    'Das Zertifikat des SMTP-Servers {} ist nicht vertrauenswürdig.',
  'The SMTP server {} does not support TLS as configured. Check the port.':
    'Der SMTP-Server {} unterstützt TLS nicht so, wie es eingestellt ist. Prüfen Sie den Port.',
  'The SMTP server {} closed the connection. Check the port.':
    'Der SMTP-Server {} hat die Verbindung geschlossen. Prüfen Sie den Port.',
  'The email could not be sent.': 'Die E-Mail konnte nicht gesendet werden.',
  'The hostname of the SMTP server is missing.': 'Der Hostname des SMTP-Servers fehlt.',
  'Port 0 is not valid. Common SMTP server ports are 465, 587 and 25.':
    'Port 0 ist nicht gültig. Übliche Ports von SMTP-Servern sind 465, 587 und 25.',
  'No SMTP server is configured. Set one up for {}, or set GATEBOOK_SMTP_URL on the server.':
    'Es ist kein SMTP-Server eingerichtet. Richten Sie einen für {} ein, oder setzen Sie GATEBOOK_SMTP_URL auf dem Server.',
  '(hidden)': '(verborgen)',
};

const translate = createTranslation(germanMailErrors);
const leads: Readonly<Record<string, string>> = { Response: 'Antwort', Reason: 'Grund' };

/** Why an email was not sent. What a server or a library said stays as it is. */
export function germanMailError(message: string): string {
  const [, text, lead, quote] = /^(.+?\.) (Response|Reason): (.*)$/s.exec(message) ?? [];
  if (text === undefined || lead === undefined) return translate(message);
  return `${translate(text)} ${leads[lead]}: ${quote}`;
}
