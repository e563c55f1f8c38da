import type { ApiKeyEvent } from '@gatebook/domain/api-key/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { insert, type Projection, patch, remove } from '@gatebook/projections/changes';

export const apiKeysProjection: Projection<ApiKeyEvent | UserEvent> = {
  ApiKeyCreated: ({ data, position }) => [
    insert('api_keys', {
      id: data.keyId,
      project_id: data.projectId,
      user_id: data.ownerType === 'user' ? data.ownerId : null,
      team_id: data.ownerType === 'team' ? data.ownerId : null,
      owner_revision: data.ownerRevision,
      description: data.description,
      is_public: data.isPublic,
      hash: data.hash,
      last_four: data.lastFour,
      since: position,
      created_at: data.at,
      expires_at: data.expiresAt,
      revoked_at: null,
    }),
  ],
  ApiKeyChanged: ({ data }) => [
    patch('api_keys', { id: data.keyId }, { description: data.description, expires_at: data.expiresAt }),
  ],
  ApiKeyMoved: ({ data }) => [
    patch(
      'api_keys',
      { id: data.keyId },
      { user_id: data.ownerId, owner_revision: data.ownerRevision, description: data.description },
    ),
  ],
  ApiKeyRevoked: ({ data }) => [patch('api_keys', { id: data.keyId }, { revoked_at: data.at })],
  UserDeleted: ({ data }) => [remove('api_keys', { user_id: data.userId })],
  UserErased: ({ data }) => [remove('api_keys', { user_id: data.userId })],
};
