import type { ApiKeyFirstView, ApiKeyView } from '@gatebook/contract/api-keys';
import type { Send } from './transport.ts';

export type ApiKeyOwner = { type: 'user' | 'team'; id: string };
/** Of a key only the last four characters are known. `expiresAt` null: never. */
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

/** Keys of users and teams; with client access one's own (`me`). */
export type ApiKeysClient = {
  /** Newest first. */
  list(owner: ApiKeyOwner): Promise<readonly ApiKey[]>;
  /** @returns the whole text, this once */
  create(owner: ApiKeyOwner, input: CreateApiKey): Promise<string>;
  /** Cannot be taken back. */
  revoke(owner: ApiKeyOwner, keyId: string): Promise<void>;
};

export const apiKeysClient = (send: Send): ApiKeysClient => {
  const named = ({ type, id }: ApiKeyOwner) => ({ [`${type}_id`]: id });
  const path = ({ type }: ApiKeyOwner) => `/${type}-api-keys`;
  return {
    list: async (owner) => {
      const query = new URLSearchParams(named(owner));
      return (await send<{ items: ApiKeyView[] }>('GET', `${path(owner)}?${query}`)).items.map(toKey);
    },
    create: async (owner, { description, expiresAt }) => {
      const body = { ...named(owner), description, expires_at_millis: expiresAt?.getTime() ?? null };
      const view = await send<ApiKeyFirstView>('POST', path(owner), body);
      return view.value;
    },
    revoke: async (owner, keyId) => {
      await send('PATCH', `${path(owner)}/${encodeURIComponent(keyId)}?${new URLSearchParams(named(owner))}`, {
        revoked: true,
      });
    },
  };
};

/** Why a key is rejected, or null while it is good. Revocation is looked at first. */
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
