import type { ProjectKeyEvent } from './events.ts';

export type Parts = Pick<
  Extract<ProjectKeyEvent, { type: 'ProjectKeyReplaced' }>['data'],
  'publishableClientKey' | 'secretServerKey' | 'superSecretAdminKey'
>;
export type ProjectKeyState =
  | { status: 'absent' }
  | {
      status: 'active' | 'revoked';
      keyId: string;
      projectId: string;
      description: string;
      /** ISO time. */
      expiresAt: string;
      parts: Parts;
    };

export const initialState: ProjectKeyState = { status: 'absent' };

export function evolveProjectKey(state: ProjectKeyState, event: ProjectKeyEvent): ProjectKeyState {
  if (event.type === 'ProjectKeyCreated') {
    const { keyId, projectId, description, expiresAt } = event.data;
    return { status: 'active', keyId, projectId, description, expiresAt, parts: partsOf(event.data) };
  }
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'ProjectKeyDescribed':
      return { ...state, description: event.data.description };
    case 'ProjectKeyReplaced':
      return { ...state, parts: partsOf(event.data) };
    case 'ProjectKeyExpiryChanged':
      return { ...state, expiresAt: event.data.expiresAt };
    case 'ProjectKeyRevoked':
      return { ...state, status: 'revoked' };
    default:
      event satisfies never;
      return state;
  }
}

export const areSameParts = (one: Parts, other: Parts) =>
  JSON.stringify(partsOf(one)) === JSON.stringify(partsOf(other));

export const partsOf = ({ publishableClientKey, secretServerKey, superSecretAdminKey }: Parts): Parts => ({
  publishableClientKey,
  secretServerKey,
  superSecretAdminKey,
});
