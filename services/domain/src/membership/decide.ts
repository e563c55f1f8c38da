import { type Decider, unreachable } from '../decider.ts';
import { reject } from '../errors.ts';
import { stateVersions } from '../state-versions.ts';
import type { MembershipEvent } from './events.ts';
import { evolveMembership, initialState, type Member, type MembershipState } from './state.ts';

type Data<Type extends MembershipEvent['type']> = Extract<MembershipEvent, { type: Type }>['data'];
type AddMember = { type: 'AddMember' } & Data<'TeamMemberAdded'>;
type RemoveMember = { type: 'RemoveMember'; how: 'left' | 'removed'; at: string };
/** Undefined fields do not change. */
type ChangeProfile = {
  type: 'ChangeProfile';
  displayName?: string | null | undefined;
  profileImageUrl?: string | null | undefined;
  at: string;
};
type GrantPermission = { type: 'GrantPermission'; permissionKey: string; at: string };
/** `permissionKey` is null when no definition has the given ID. */
type RevokePermission = { type: 'RevokePermission'; permissionKey: string | null; permissionId: string; at: string };
type UsePermission = { type: 'UsePermission'; permissionKey: string; at: string };
type OnMember = RemoveMember | ChangeProfile | GrantPermission | RevokePermission | UsePermission;
export type MembershipCommand = AddMember | OnMember;

/** Rejects TEAM_MEMBERSHIP_NOT_FOUND without details: the caller knows which membership it asked for. */
export function decideMembership(command: MembershipCommand, state: MembershipState): readonly MembershipEvent[] {
  if (command.type === 'AddMember') {
    if (state.status === 'member') return reject('TEAM_MEMBERSHIP_ALREADY_EXISTS');
    const { type: _, ...data } = command;
    return [{ type: 'TeamMemberAdded', data }];
  }
  if (state.status === 'none') return reject('TEAM_MEMBERSHIP_NOT_FOUND');
  return decideOnMember(command, state);
}

function decideOnMember(command: OnMember, member: Member): readonly MembershipEvent[] {
  const { teamId, userId, projectId, permissions } = member;
  const { at } = command;
  const facts = { teamId, userId, projectId };
  switch (command.type) {
    case 'RemoveMember':
      return [{ type: 'TeamMemberRemoved', data: { ...facts, how: command.how, at } }];
    case 'ChangeProfile': {
      const { displayName = member.profile.displayName, profileImageUrl = member.profile.profileImageUrl } = command;
      return [{ type: 'TeamProfileChanged', data: { teamId, userId, displayName, profileImageUrl, at } }];
    }
    case 'GrantPermission':
      if (permissions.has(command.permissionKey)) return [];
      return [{ type: 'TeamPermissionGranted', data: { ...facts, permissionKey: command.permissionKey, at } }];
    case 'RevokePermission': {
      const { permissionKey, permissionId } = command;
      if (permissionKey === null || !permissions.has(permissionKey)) {
        return reject('TEAM_PERMISSION_NOT_FOUND', { team_id: teamId, user_id: userId, permission_id: permissionId });
      }
      return [{ type: 'TeamPermissionRevoked', data: { ...facts, permissionKey, at } }];
    }
    case 'UsePermission':
      return [{ type: 'TeamPermissionUsed', data: { teamId, userId, permissionKey: command.permissionKey, at } }];
    default:
      return unreachable(command);
  }
}

export const membershipDecider: Decider<MembershipState, MembershipCommand, MembershipEvent> = {
  initialState,
  decide: decideMembership,
  evolve: evolveMembership,
  stateVersion: stateVersions.membership,
};
