import type {
  ApiKeyFirstView,
  ApiKeyRotation as ApiKeyRotationBody,
  ApiKeyUses,
  ApiKeyView,
} from '@gatebook/contract/api-keys';
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
/** `expiresAt`: of the new key; null: never. */
export type ApiKeyRotation = { expiresAt: Date | null; oldExpiresAt: Date };

/** Keys of users and teams; with client access only the user's own (`me`). */
export type ApiKeysClient = {
  /** Newest first. */
  list(owner: ApiKeyOwner): Promise<readonly ApiKey[]>;
  /** When each key was last used, by its ID, without keys that were never used; requires admin access. */
  listUses(owner: ApiKeyOwner): Promise<ReadonlyMap<string, Date>>;
  /** @returns the key, which is shown only once */
  create(owner: ApiKeyOwner, input: CreateApiKey): Promise<string>;
  /**
   * A new key with the same description. The old one ends at `oldExpiresAt`, if not sooner.
   * @returns the new key, which is shown only once
   */
  rotate(owner: ApiKeyOwner, keyId: string, input: ApiKeyRotation): Promise<string>;
  /** Cannot be undone. */
  revoke(owner: ApiKeyOwner, keyId: string): Promise<void>;
};

const ownerQuery = ({ type, id }: ApiKeyOwner) => ({ [`${type}_id`]: id });
const path = ({ type }: ApiKeyOwner) => `/${type}-api-keys`;
const pathOfKey = (owner: ApiKeyOwner, keyId: string, action = '') =>
  `${path(owner)}/${encodeURIComponent(keyId)}${action}?${new URLSearchParams(ownerQuery(owner))}`;

/** What `rotate` calls, for a preview. */
export const callOfApiKeyRotation = (
  owner: ApiKeyOwner,
  keyId: string,
  { expiresAt, oldExpiresAt }: ApiKeyRotation,
) => ({
  method: 'POST' as const,
  path: pathOfKey(owner, keyId, '/rotate'),
  body: {
    expires_at_millis: expiresAt?.getTime() ?? null,
    old_expires_at_millis: oldExpiresAt.getTime(),
  } satisfies ApiKeyRotationBody,
});

export const apiKeysClient = (send: Send): ApiKeysClient => {
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
    rotate: async (owner, keyId, rotation) => {
      const { method, path: rotationPath, body } = callOfApiKeyRotation(owner, keyId, rotation);
      return (await send<ApiKeyFirstView>(method, rotationPath, body)).value;
    },
    revoke: async (owner, keyId) => {
      await send('PATCH', pathOfKey(owner, keyId), { revoked: true });
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
