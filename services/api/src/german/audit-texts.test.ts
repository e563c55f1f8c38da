import { expect, test } from 'vitest';
import type { AuditTexts } from '../routes/audit/english-texts.ts';
import type { Details } from '../routes/history/history-details.ts';
import { germanAuditTexts } from './audit-texts.ts';

test.each<[keyof AuditTexts, Details, string]>([
  [
    'ProjectSettingsChanged',
    { changed: ['quotas', 'unknownField'] },
    'Einstellungen geändert: Kontingente, unknown field',
  ],
  [
    'EmailTemplateReset',
    { templateType: 'magic_link', language: 'fr-CA' },
    'E-Mail-Vorlage „Anmeldecode“ auf Französisch (Kanada) zurückgesetzt',
  ],
  [
    'CodeIssued',
    { purpose: 'project_invitation', payload: { role: 'developer' } },
    'Jemanden mit der Rolle „Entwickler“ zum Projekt eingeladen',
  ],
  [
    'CodeIssued',
    { purpose: 'project_invitation', payload: { role: 'owner', senderRole: 'none' } },
    'Projekt einem neuen Eigentümer angeboten; der Absender hat danach keine Rolle mehr',
  ],
  ['ApiKeyCreated', { ownerType: 'team', description: 'CI' }, 'API-Schlüssel eines Teams erstellt: CI'],
  ['WebhookEndpointCreated', { url: 'https://example.com/x' }, 'Webhook-Endpunkt bei https://example.com erstellt'],
  [
    'ProjectKeyExpiryChanged',
    { expiresAt: '2027-01-02T00:00:00.000Z' },
    'Ablaufdatum eines Projektschlüssels in 02.01.2027 geändert',
  ],
])('%s %j is “%s”', (type, data, text) => {
  expect(germanAuditTexts[type](data, { permission: null })).toBe(text);
});
