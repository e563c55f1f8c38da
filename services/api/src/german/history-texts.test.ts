import { expect, test } from 'vitest';
import type { HistoryTexts } from '../routes/history/english-texts.ts';
import type { Details } from '../routes/history/history-details.ts';
import { germanHistoryTexts } from './history-texts.ts';

test.each<[keyof HistoryTexts, Details, string]>([
  ['UserCreated', { method: 'server', isAnonymous: false }, 'Benutzer erstellt'],
  ['UserCreated', { method: 'password', isAnonymous: false }, 'Mit einem Passwort registriert'],
  ['UserCreated', { method: 'anonymous', isAnonymous: true }, 'Als anonymer Benutzer registriert'],
  ['UserRenamed', { displayName: null }, 'Anzeigename entfernt'],
  ['SessionStarted', { method: 'password', ip: '203.0.113.9' }, 'Mit einem Passwort von 203.0.113.9 aus angemeldet'],
  [
    'SessionStarted',
    { isImpersonation: true, minutes: 15, impersonationReason: 'Ticket 42' },
    'Anmeldung als Benutzer für 15 Minuten begonnen: Ticket 42',
  ],
  ['SignInsThrottled', { failures: 10, minutes: 1 }, 'Anmeldungen nach 10 Fehlversuchen in 1 Minute gedrosselt'],
  ['TeamMemberAdded', { how: 'added', team: 'Crew' }, 'Zum Team „Crew“ hinzugefügt'],
  ['TeamMemberAdded', { how: 'added', team: null }, 'Zu einem Team hinzugefügt'],
  ['TeamMemberAdded', { how: 'created', team: '' }, 'Team ohne Namen erstellt'],
  ['TeamMemberRemoved', { team: 'Crew' }, 'Aus dem Team „Crew“ entfernt'],
  ['TeamPermissionGranted', { permission: 'edit', team: 'Crew' }, 'Berechtigung edit im Team „Crew“ erteilt'],
  ['TeamPermissionRevoked', {}, 'Berechtigung in einem Team entzogen'],
  ['OAuthAccountUnlinked', { provider: 'github' }, 'Verbindung mit dem Konto bei GitHub getrennt'],
  [
    'UserSessionsEnded',
    { reason: 'password_update', keptOne: true },
    'Alle anderen Sitzungen beendet, weil das Passwort geändert wurde',
  ],
  [
    'ContactChannelAdded',
    { value: 'a@b.example', isPrimary: true, isVerified: true },
    'E-Mail-Adresse a@b.example hinzugefügt (primär, bestätigt)',
  ],
  [
    'UserDeletionScheduled',
    { deleteAt: '2026-12-31T00:00:00.000Z' },
    'Benutzer gelöscht, kann bis 31.12.2026 wiederhergestellt werden',
  ],
])('%s %j', (type, details, text) => {
  expect(germanHistoryTexts[type](details)).toBe(text);
});
