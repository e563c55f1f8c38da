import type { ApiKeyFirstView, ApiKeyUses, ApiKeyView } from '@gatebook/contract/api-keys';
import type { Send } from './transport.ts';

export type ApiKeyOwner = { type: 'user' | 'team'; id: string };
/** Only the last four characters of a key are known. `expiresAt` is null if it never expires. */
export type ApiKey = {
  id: string;
  description: string;
  isPublic: boolean;
  createdAt: Date;
  expiresAt: Date | null;
  manuallyRevokedAt: Date | null;
  lastFour: string;
};
export type CreateApiKey = { description: string; expiresAt: Date | null };

/** Keys of users and teams; with client access only the user's own (`me`). */
export type ApiKeysClient = {
  /** Newest first. */
  list(owner: ApiKeyOwner): Promise<readonly ApiKey[]>;
  /** When each key was last used, by its ID, without keys that were never used; requires admin access. */
  listUses(owner: ApiKeyOwner): Promise<ReadonlyMap<string, Date>>;
  /** @returns the key, which is shown only once */
  create(owner: ApiKeyOwner, input: CreateApiKey): Promise<string>;
  /** Cannot be undone. */
  revoke(owner: ApiKeyOwner, keyId: string): Promise<void>;
};

export const apiKeysClient = (send: Send): ApiKeysClient => {
  const ownerQuery = ({ type, id }: ApiKeyOwner) => ({ [`${type}_id`]: id });
  const path = ({ type }: ApiKeyOwner) => `/${type}-api-keys`;
  return {
    list: async (owner) => {
      const query = new URLSearchParams(ownerQuery(owner));
      return (await send<{ items: ApiKeyView[] }>('GET', `${path(owner)}?${query}`)).items.map(toKey);
    },
    listUses: async ({ id }) => {
      const { items } = await send<ApiKeyUses>(
        'GET',
        `/internal/api-key-uses?${new URLSearchParams({ owner_id: id })}`,
      );
      return new Map(items.map((use) => [use.api_key_id, new Date(use.last_used_at_millis)]));
    },
    create: async (owner, { description, expiresAt }) => {
      const body = { ...ownerQuery(owner), description, expires_at_millis: expiresAt?.getTime() ?? null };
      const view = await send<ApiKeyFirstView>('POST', path(owner), body);
      return view.value;
    },
    revoke: async (owner, keyId) => {
      await send('PATCH', `${path(owner)}/${encodeURIComponent(keyId)}?${new URLSearchParams(ownerQuery(owner))}`, {
        revoked: true,
      });
    },
  };
};

/** Why a key is invalid, or null. Checks revocation first. */
export function whyKeyInvalid(key: Pick<ApiKey, 'expiresAt' | 'manuallyRevokedAt'>, now: Date) {
  if (key.manuallyRevokedAt !== null) return 'manually-revoked';
  return key.expiresAt !== null && key.expiresAt.getTime() <= now.getTime() ? 'expired' : null;
}

function toKey(view: ApiKeyView): ApiKey {
  const time = (millis: number | undefined) => (millis === undefined ? null : new Date(millis));
  return {
    id: view.id,
    description: view.description,
    isPublic: view.is_public,
    createdAt: new Date(view.created_at_millis),
    expiresAt: time(view.expires_at_millis),
    manuallyRevokedAt: time(view.manually_revoked_at_millis),
    lastFour: view.value.last_four,
  };
}
