import type { MembershipEvent } from './events.ts';

export type Member = {
  status: 'member';
  teamId: string;
  userId: string;
  projectId: string;
  /** Keys of directly granted permissions. */
  permissions: ReadonlySet<string>;
  profile: { displayName: string | null; profileImageUrl: string | null };
};
export type MembershipState = { status: 'none' } | Member;

export const initialState: MembershipState = { status: 'none' };
const noProfile = { displayName: null, profileImageUrl: null };

export function evolveMembership(state: MembershipState, event: MembershipEvent): MembershipState {
  if (event.type === 'TeamMemberAdded') {
    const { teamId, userId, projectId, permissionKeys } = event.data;
    return { status: 'member', teamId, userId, projectId, permissions: new Set(permissionKeys), profile: noProfile };
  }
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'TeamMemberRemoved':
      return initialState;
    case 'TeamProfileChanged': {
      const { displayName, profileImageUrl } = event.data;
      return { ...state, profile: { displayName, profileImageUrl } };
    }
    case 'TeamPermissionGranted':
      return { ...state, permissions: new Set([...state.permissions, event.data.permissionKey]) };
    case 'TeamPermissionRevoked':
      return {
        ...state,
        permissions: new Set([...state.permissions].filter((key) => key !== event.data.permissionKey)),
      };
    case 'TeamPermissionUsed':
      return state;
    default:
      event satisfies never;
      return state;
  }
}
