import type { MembershipEvent } from './events.ts';

export type Member = {
  status: 'member';
  teamId: string;
  userId: string;
  projectId: string;
  /** Keys that were granted directly. */
  permissions: ReadonlySet<string>;
  profile: { displayName: string | null; profileImageUrl: string | null };
};
export type MembershipState = { status: 'none' } | Member;

export const initialState: MembershipState = { status: 'none' };
const noProfile = { displayName: null, profileImageUrl: null };

export function evolveMembership(state: MembershipState, event: MembershipEvent): MembershipState {
  if (event.type === 'TeamMemberAdded') {
    const { teamId, userId, projectId, permissions } = event.data;
    return { status: 'member', teamId, userId, projectId, permissions: new Set(permissions), profile: noProfile };
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
      return { ...state, permissions: new Set([...state.permissions, event.data.permission]) };
    case 'TeamPermissionRevoked':
      return { ...state, permissions: new Set([...state.permissions].filter((key) => key !== event.data.permission)) };
    case 'TeamRightUsed':
      return state;
    default:
      event satisfies never;
      return state;
  }
}
