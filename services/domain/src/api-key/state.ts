import type { ApiKeyEvent } from './events.ts';

type Created = Extract<ApiKeyEvent, { type: 'ApiKeyCreated' }>['data'];
/** Times are ISO 8601. `revokedAt` is the first revocation. */
export type ApiKey = Omit<Created, 'at'> & { status: 'present'; createdAt: string; revokedAt: string | null };
export type ApiKeyState = { status: 'absent' } | ApiKey;

export const initialState: ApiKeyState = { status: 'absent' };

export function evolveApiKey(state: ApiKeyState, event: ApiKeyEvent): ApiKeyState {
  if (event.type === 'ApiKeyCreated') {
    const { at, ...facts } = event.data;
    return { status: 'present', ...facts, createdAt: at, revokedAt: null };
  }
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'ApiKeyChanged': {
      const { description, expiresAt } = event.data;
      return { ...state, description, expiresAt };
    }
    case 'ApiKeyMoved': {
      const { ownerId, ownerRevision, description, expiresAt } = event.data;
      return { ...state, ownerId, ownerRevision, description, expiresAt };
    }
    case 'ApiKeyRevoked':
      return { ...state, revokedAt: event.data.at };
    default:
      event satisfies never;
      return state;
  }
}
