import type { CheckTexts } from '../routes/explanations/english-checks.ts';

export const germanChecks: CheckTexts = {
  checks: {
    request: {
      passed: 'Die Anfrage war lesbar und kam nicht von einer Seite einer anderen Website.',
      failed: 'Die Anfrage war nicht lesbar.',
    },
    access_type: {
      passed: 'Die Header nannten eine Zugriffsart und ein Projekt oder keine Zugangsdaten.',
      failed: 'Die Header nannten keine gültige Zugriffsart mit einem Projekt.',
    },
    access_token: {
      passed: 'Es wurde kein Zugriffstoken gesendet oder ein gültiges.',
      failed: 'Das Zugriffstoken war nicht gültig oder gehörte zu einem anderen Projekt.',
    },
    admin_access_token: {
      passed: 'Es wurde kein Admin-Zugriffstoken gesendet oder ein gültiges eines Eigentümers.',
      failed: 'Das Admin-Zugriffstoken war nicht gültig.',
    },
    project_key: {
      passed: 'Der Projektschlüssel war gültig, oder es war keiner nötig.',
      failed: 'Der Projektschlüssel fehlte oder war nicht gültig.',
    },
    project: {
      passed: 'Das Projekt und sein Branch existieren.',
      failed: 'Das Projekt oder sein Branch existiert nicht.',
    },
    access: {
      passed: 'Der Endpunkt steht dieser Zugriffsart offen.',
      failed: 'Der Endpunkt steht dieser Zugriffsart nicht offen.',
    },
    role: {
      passed: 'Es wurde kein Admin-Zugriffstoken gesendet, oder die Rolle des Mitglieds erlaubt die Anfrage.',
      failed: 'Die Rolle des Mitglieds erlaubt die Anfrage nicht.',
    },
    session: {
      passed: 'Die Sitzung war dazu berechtigt.',
      failed: 'Die Sitzung war dazu nicht berechtigt.',
    },
    input: {
      passed: 'Pfad, Query und Body waren gültig.',
      failed: 'Pfad, Query oder Body waren nicht gültig. Die Antwort auf die Anfrage nennt die Fehler.',
    },
    rate_limit: {
      passed: 'Kein Rate-Limit war erreicht.',
      failed: 'Ein Rate-Limit war erreicht.',
    },
    idempotency_key: {
      passed: 'Es wurde kein Idempotenzschlüssel gesendet oder ein unbenutzter.',
      failed: 'Der Idempotenzschlüssel konnte nicht verwendet werden.',
    },
    endpoint: {
      passed: 'Der Endpunkt hat die Anfrage angenommen.',
      failed: 'Der Endpunkt hat die Anfrage abgelehnt.',
    },
  },
  notReached: 'Nicht geprüft, weil eine frühere Prüfung fehlgeschlagen ist.',
  withError: (failed, error) => `${failed} Fehlermeldung: „${error}“`,
};
