import { type Decider, unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { stateVersions } from '../state-versions.ts';
import type { ProjectKeyEvent } from './events.ts';
import { areSameParts, evolveProjectKey, initialState, type ProjectKeyState, partsOf } from './state.ts';

type Data<Type extends ProjectKeyEvent['type']> = Extract<ProjectKeyEvent, { type: Type }>['data'];
type CreateProjectKey = { type: 'CreateProjectKey' } & Data<'ProjectKeyCreated'>;
type DescribeProjectKey = { type: 'DescribeProjectKey'; projectId: string; description: string; at: string };
/** New key texts from the configuration, only for the key set of `internal`. */
type ReplaceProjectKey = { type: 'ReplaceProjectKey' } & Omit<Data<'ProjectKeyReplaced'>, 'keyId'>;
type ChangeProjectKeyExpiry = { type: 'ChangeProjectKeyExpiry'; projectId: string; expiresAt: string; at: string };
type RevokeProjectKey = { type: 'RevokeProjectKey'; projectId: string; at: string };
export type ProjectKeyCommand =
  | CreateProjectKey
  | DescribeProjectKey
  | ReplaceProjectKey
  | ChangeProjectKeyExpiry
  | RevokeProjectKey;

function decideProjectKey(command: ProjectKeyCommand, state: ProjectKeyState): readonly ProjectKeyEvent[] {
  if (command.type === 'CreateProjectKey') {
    if (state.status !== 'absent') throw new Error(`project key ${command.keyId} exists already`);
    const { type: _, ...data } = command;
    return [{ type: 'ProjectKeyCreated', data }];
  }
  if (state.status === 'absent' || state.projectId !== command.projectId) return reject('API_KEY_NOT_FOUND');
  const { keyId, projectId } = state;
  switch (command.type) {
    case 'DescribeProjectKey': {
      const { description, at } = command;
      if (description === state.description) return [];
      return [{ type: 'ProjectKeyDescribed', data: { keyId, projectId, description, at } }];
    }
    case 'ReplaceProjectKey': {
      const { at } = command;
      const parts = partsOf(command);
      if (areSameParts(parts, state.parts)) return [];
      return [{ type: 'ProjectKeyReplaced', data: { keyId, projectId, ...parts, at } }];
    }
    case 'ChangeProjectKeyExpiry': {
      const { expiresAt, at } = command;
      if (state.status === 'revoked' || expiresAt === state.expiresAt) return [];
      return [{ type: 'ProjectKeyExpiryChanged', data: { keyId, projectId, expiresAt, at } }];
    }
    case 'RevokeProjectKey':
      // Revocation is final, and its first time stays.
      if (state.status === 'revoked') return [];
      return [{ type: 'ProjectKeyRevoked', data: { keyId, projectId, at: command.at } }];
    default:
      return unreachable(command);
  }
}

export const projectKeyDecider: Decider<ProjectKeyState, ProjectKeyCommand, ProjectKeyEvent> = {
  initialState,
  decide: decideProjectKey,
  evolve: evolveProjectKey,
  stateVersion: stateVersions['project-key'],
};
