import type { EffectKind, PreviewEffect } from '@gatebook/contract/previews';
import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import type { UserEvent } from '@gatebook/domain/user/events';
import { isSecurityRelevant, searchSecurityNotice } from '@gatebook/domain/user/security-notice';
import { listApiKeys } from '@gatebook/readmodel/api-keys/queries';
import { listSessions } from '@gatebook/readmodel/sessions/queries';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import type { TextLanguage } from '../../http/text-language.ts';
import { accessEffects } from './access-effects.ts';
import type { StreamChange } from './changes.ts';
import { type EffectTexts, effectTexts } from './effect-texts.ts';
import { noPermission, permissionEffects } from './permission-effects.ts';
import { findWebhookReceivers } from './webhook-effects.ts';

type Scope = Pick<Deps, 'db' | 'store' | 'now'> &
  Pick<Caller, 'projectId' | 'project'> & { caller: Caller; language: TextLanguage };

/** What happens besides the events themselves, without parts that do not occur. `recorded`: those of the changes. */
export async function listEffects(
  scope: Scope,
  changes: readonly StreamChange[],
  recorded: readonly Recorded[],
): Promise<PreviewEffect[]> {
  const events = changes.flatMap((change) => change.events);
  const texts = effectTexts[scope.language];
  const count = async (kind: EffectKind, of: Promise<number> | number): Promise<PreviewEffect[]> => {
    const found = await of;
    return found === 0 ? [] : [{ kind, count: found, text: texts[kind](found, ''), ...noPermission }];
  };
  const counts = await Promise.all([
    count('email', countEmails(scope, changes)),
    count('sessions_ended', countEndedSessions(scope, events)),
    count('api_keys_revoked', countRevokedKeys(scope, events)),
    scheduledErasure(texts, events),
    count('erasure', events.filter(({ type }) => erasingTypes.has(type)).length),
    count(
      'key_shown_once',
      events.reduce((sum, event) => sum + keysIn(event), 0),
    ),
  ]);
  const [permissions, access, webhooks] = await Promise.all([
    permissionEffects(scope, changes),
    accessEffects(scope, changes),
    webhookEffect(scope, texts, recorded),
  ]);
  return [...counts.flat(), ...permissions, ...access, ...webhooks];
}

/** Beyond, the types are not listed. */
const maxTypes = 5;

async function webhookEffect(
  scope: Scope,
  texts: EffectTexts,
  recorded: readonly Recorded[],
): Promise<PreviewEffect[]> {
  const { endpoints: count, types } = await findWebhookReceivers(scope, recorded);
  if (count === 0) return [];
  const listed = [...types.slice(0, maxTypes), ...(types.length > maxTypes ? ['…'] : [])].join(', ');
  return [{ kind: 'webhook', count, text: texts.webhook(count, listed), ...noPermission }];
}

const erasingTypes: ReadonlySet<string> = new Set(['UserDeleted', 'TeamDeleted', 'ProjectDeleted']);

/** One write schedules one erasure. */
function scheduledErasure(texts: EffectTexts, events: readonly DomainEvent[]): PreviewEffect[] {
  const scheduled = events.filter(({ data }) => typeof data.deleteAt === 'string');
  const [first] = scheduled;
  if (!first) return [];
  const count = scheduled.length;
  const text = texts.erasure_scheduled(count, String(first.data.deleteAt));
  return [{ kind: 'erasure_scheduled', count, text, ...noPermission }];
}

function keysIn({ type, data }: DomainEvent): number {
  if (type === 'ApiKeyCreated') return 1;
  if (type !== 'ProjectKeyCreated') return 0;
  return [data.publishableClientKey, data.secretServerKey, data.superSecretAdminKey].filter(Boolean).length;
}

/** Emails that the events request, and security notices about them. */
async function countEmails({ store, project }: Scope, changes: readonly StreamChange[]): Promise<number> {
  const requested = changes.flatMap(({ events }) => events).filter(({ type }) => type === 'EmailRequested').length;
  if (project.settings.securityNoticesEnabled === false) return requested;
  const notices = await Promise.all(
    changes.filter(({ stream }) => stream.startsWith('user-')).map((change) => countNotices(store, change)),
  );
  return requested + notices.reduce((sum, one) => sum + one, 0);
}

async function countNotices(store: Scope['store'], { stream, events }: StreamChange): Promise<number> {
  const written = events as readonly UserEvent[];
  if (!written.some(isSecurityRelevant)) return 0;
  const metadata = { requestId: 'preview' } as Recorded['metadata'];
  const added = written.map((event, nth): Recorded<UserEvent> => {
    return { ...event, id: `preview ${nth}`, stream, revision: 0n, position: 0n, committedAt: event.data.at, metadata };
  });
  const searches = added.filter(isSecurityRelevant).map(({ id }) => searchSecurityNotice(id));
  for await (const history of store.readStreamPages(stream, { large: true })) {
    for (const search of searches) search.see(history as readonly Recorded<UserEvent>[]);
  }
  for (const search of searches) search.see(added);
  return searches.reduce((sum, search) => sum + (search.end()?.recipients.length ?? 0), 0);
}

const endingTypes: ReadonlySet<string> = new Set(['UserSessionsEnded', 'UserDeletionScheduled', 'UserDeleted']);
const revokingTypes: ReadonlySet<string> = new Set(['UserApiKeysRevoked', 'UserDeletionScheduled', 'UserDeleted']);

const usersOf = (events: readonly DomainEvent[], types: ReadonlySet<string>) => [
  ...new Set(events.filter(({ type }) => types.has(type)).map(({ data }) => String(data.userId))),
];

async function countEndedSessions({ db, projectId }: Scope, events: readonly DomainEvent[]): Promise<number> {
  const single = events.filter(({ type }) => type === 'SessionEnded').length;
  const counts = await Promise.all(
    usersOf(events, endingTypes).map(async (userId) => {
      const { rows } = await listSessions(db, projectId, userId, { withImpersonation: true });
      return rows.length;
    }),
  );
  return counts.reduce((sum, one) => sum + one, single);
}

async function countRevokedKeys({ db, projectId, now }: Scope, events: readonly DomainEvent[]): Promise<number> {
  const single = events.filter(({ type }) => type === 'ApiKeyRevoked').length;
  const at = Date.parse(now());
  // The keys of a merged user go on working.
  const moved = new Set(events.flatMap(({ type, data }) => (type === 'ApiKeyMoved' ? [data.keyId] : [])));
  const counts = await Promise.all(
    usersOf(events, revokingTypes).map(async (ownerId) => {
      const { rows } = await listApiKeys(db, projectId, { ownerType: 'user', ownerId });
      const alive = rows.filter(({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt ?? at + 1) > at);
      return alive.filter(({ id }) => !moved.has(id)).length;
    }),
  );
  return counts.reduce((sum, one) => sum + one, single);
}
