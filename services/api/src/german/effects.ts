import type { EffectTexts } from '../routes/actions/english-effects.ts';
import { germanDate } from './history-texts.ts';

const people = (n: number) => (n === 1 ? '1 Person' : `${n} Personen`);

export const germanEffects: EffectTexts = {
  email: (n) => `Sendet ${n === 1 ? '1 E-Mail' : `${n} E-Mails`}`,
  sessions_ended: (n) => `Beendet ${n === 1 ? '1 Sitzung' : `${n} Sitzungen`}`,
  api_keys_revoked: (n) => `Widerruft ${n} API-Schlüssel`,
  erasure: () => 'Löscht personenbezogene Daten endgültig',
  erasure_scheduled: (_, time) =>
    `Kann bis ${germanDate(time)} wiederhergestellt werden, danach werden die Daten endgültig gelöscht`,
  grants_void: (n) => (n === 1 ? '1 Zuweisung verliert ihre Wirkung' : `${n} Zuweisungen verlieren ihre Wirkung`),
  key_shown_once: (n) => `Zeigt ${n === 1 ? 'einen' : n} Schlüssel einmal an`,
  permission_gained: (n, id) => `${people(n)} ${n === 1 ? 'erhält' : 'erhalten'} ${id}`,
  permission_lost: (n, id) => `${people(n)} ${n === 1 ? 'verliert' : 'verlieren'} ${id}`,
  access_gained: (n) => `${people(n)} ${n === 1 ? 'erhält' : 'erhalten'} Zugriff`,
  access_lost: (n) => `${people(n)} ${n === 1 ? 'verliert' : 'verlieren'} den Zugriff`,
  access_of_team: () => 'Zugriff haben nur die Mitglieder des Teams',
  keys_kept: (n) =>
    n === 1
      ? '1 Projektschlüssel bleibt gültig, auch für Personen, die ihn kopiert haben'
      : `${n} Projektschlüssel bleiben gültig, auch für Personen, die sie kopiert haben`,
  webhook: (n, types) => `Sendet Ereignisse an ${n === 1 ? '1 Webhook-Endpunkt' : `${n} Webhook-Endpunkte`}: ${types}`,
};
