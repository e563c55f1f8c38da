import type { EffectKind } from '@gatebook/contract/previews';

/** `of`: the ID of the permission, the time of the erasure, or the types of the sent events. */
export type EffectTexts = Readonly<Record<EffectKind, (count: number, of: string) => string>>;

const people = (n: number) => (n === 1 ? '1 person' : `${n} people`);

export const englishEffects: EffectTexts = {
  email: (n) => `Sends ${n === 1 ? '1 email' : `${n} emails`}`,
  sessions_ended: (n) => `Ends ${n === 1 ? '1 session' : `${n} sessions`}`,
  api_keys_revoked: (n) => `Revokes ${n === 1 ? '1 API key' : `${n} API keys`}`,
  erasure: () => 'Erases personal data permanently',
  erasure_scheduled: (_, time) => `Can be restored until ${time.slice(0, 10)}, then the data is erased`,
  grants_void: (n) => `${n === 1 ? '1 grant has' : `${n} grants have`} no effect any more`,
  key_shown_once: (n) => `Shows ${n === 1 ? 'a key' : `${n} keys`} once`,
  permission_gained: (n, id) => `${people(n)} ${n === 1 ? 'gains' : 'gain'} ${id}`,
  permission_lost: (n, id) => `${people(n)} ${n === 1 ? 'loses' : 'lose'} ${id}`,
  access_gained: (n) => `${people(n)} ${n === 1 ? 'gains' : 'gain'} access`,
  access_lost: (n) => `${people(n)} ${n === 1 ? 'loses' : 'lose'} access`,
  access_of_team: () => 'Only members of the team have access',
  keys_kept: (n) =>
    n === 1
      ? '1 project key stays valid, also for people who have copied it'
      : `${n} project keys stay valid, also for people who have copied them`,
  webhook: (n, types) => `Sends events to ${n === 1 ? '1 webhook endpoint' : `${n} webhook endpoints`}: ${types}`,
};
