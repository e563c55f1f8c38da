import type { ApiKey } from '@gatebook/domain/api-key/state';
import type { ApiKeyRow } from '@gatebook/readmodel/api-keys/queries';

/** The future row of a key that was just decided. */
export function rowOfKey(key: ApiKey): ApiKeyRow {
  const { keyId: id, projectId, ownerType, ownerId, description, isPublic, lastFour, createdAt } = key;
  const millis = (time: string | null) => (time === null ? null : Date.parse(time));
  return {
    id,
    projectId,
    ownerType,
    ownerId,
    description,
    isPublic,
    lastFour,
    createdAt: Date.parse(createdAt),
    expiresAt: millis(key.expiresAt),
    revokedAt: millis(key.revokedAt),
  };
}

/** `value`: the whole text of a new key, otherwise its last characters. */
export function toKeyView<Value>(key: ApiKeyRow, value: Value) {
  const facts = {
    id: key.id,
    description: key.description ?? '',
    is_public: key.isPublic,
    created_at_millis: key.createdAt,
    ...(key.expiresAt === null ? {} : { expires_at_millis: key.expiresAt }),
    ...(key.revokedAt === null ? {} : { manually_revoked_at_millis: key.revokedAt }),
    value,
  };
  const { ownerType: type, ownerId } = key;
  return type === 'user' ? { ...facts, type, user_id: ownerId } : { ...facts, type, team_id: ownerId };
}

export const tailOf = ({ lastFour }: ApiKeyRow) => ({ last_four: lastFour });
