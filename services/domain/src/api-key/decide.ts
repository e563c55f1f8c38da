import { type Decider, unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { stateVersions } from '../state-versions.ts';
import type { ApiKeyEvent } from './events.ts';
import { type ApiKey, type ApiKeyState, evolveApiKey, initialState } from './state.ts';

type CreateApiKey = { type: 'CreateApiKey' } & Extract<ApiKeyEvent, { type: 'ApiKeyCreated' }>['data'];
/** Undefined fields do not change; `expiresAt` null: never. Also allowed for a revoked key. */
type ChangeApiKey = {
  type: 'ChangeApiKey';
  description?: string | undefined;
  expiresAt?: string | null | undefined;
  at: string;
};
/** Gives the key of a user to another user. `ownerRevision`: of the new owner. Does nothing to their own key. */
type MoveApiKey = { type: 'MoveApiKey'; ownerId: string; ownerRevision: number; at: string };
type RevokeApiKey = { type: 'RevokeApiKey'; at: string };
/** Sent by anyone who found the key text in public. Public keys are meant to be visible. */
type RevokeLeakedApiKey = { type: 'RevokeLeakedApiKey'; at: string };
export type ApiKeyCommand = CreateApiKey | ChangeApiKey | MoveApiKey | RevokeApiKey | RevokeLeakedApiKey;

function decideApiKey(command: ApiKeyCommand, state: ApiKeyState): readonly ApiKeyEvent[] {
  if (command.type === 'CreateApiKey') {
    if (state.status !== 'absent') throw new Error(`API key ${command.keyId} exists already`);
    const { type: _, ...data } = command;
    return [{ type: 'ApiKeyCreated', data }];
  }
  if (state.status === 'absent') return reject('API_KEY_NOT_FOUND');
  const { keyId, projectId } = state;
  const { at } = command;
  switch (command.type) {
    case 'ChangeApiKey':
      return changeApiKey(command, state);
    case 'MoveApiKey': {
      const { ownerId, ownerRevision } = command;
      if (state.ownerType !== 'user') return reject('API_KEY_NOT_FOUND');
      if (state.ownerId === ownerId) return [];
      const { description, expiresAt } = state;
      return [{ type: 'ApiKeyMoved', data: { keyId, projectId, ownerId, ownerRevision, description, expiresAt, at } }];
    }
    case 'RevokeApiKey':
      return state.revokedAt === null ? [{ type: 'ApiKeyRevoked', data: { keyId, projectId, by: 'owner', at } }] : [];
    case 'RevokeLeakedApiKey':
      if (state.isPublic) return reject('PUBLIC_API_KEY_CANNOT_BE_REVOKED');
      if (state.revokedAt !== null) return [];
      if (hasExpired(state, at)) return reject('API_KEY_EXPIRED');
      return [{ type: 'ApiKeyRevoked', data: { keyId, projectId, by: 'scanner', at } }];
    default:
      return unreachable(command);
  }
}

function changeApiKey(command: ChangeApiKey, state: ApiKey): readonly ApiKeyEvent[] {
  const { keyId, projectId, ownerId } = state;
  const { description = state.description, expiresAt = state.expiresAt, at } = command;
  if (description === state.description && expiresAt === state.expiresAt) return [];
  return [{ type: 'ApiKeyChanged', data: { keyId, projectId, ownerId, description, expiresAt, at } }];
}

/** A key is expired from its expiry time on. `at` is an ISO time. */
export const hasExpired = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>, at: string) =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.parse(at);

export const apiKeyDecider: Decider<ApiKeyState, ApiKeyCommand, ApiKeyEvent> = {
  initialState,
  decide: decideApiKey,
  evolve: evolveApiKey,
  stateVersion: stateVersions['api-key'],
};
