import type { MembershipCommand } from '../../membership/decide.ts';
import type { Member } from '../../membership/state.ts';
import type { MergeItem, MergeItemKind } from './items.ts';
import { dropReasonOf, isSameJson, itemOf, type MergingTeam, type Part } from './parts.ts';

/** `commands`: on the membership of the user who stays. */
export type TeamPart = Part & { commands: readonly MembershipCommand[] };

export function mergeTeam({ teamId, duplicate, kept }: MergingTeam, userId: string, at: string): TeamPart[] {
  const keys = [...duplicate.permissions];
  const ofTeam = (kind: MergeItemKind, name: string | null = null) => itemOf(kind, name, teamId);
  if (kept.status === 'none') {
    const { projectId, profile } = duplicate;
    const added: MembershipCommand = {
      ...{ type: 'AddMember', teamId, userId, projectId, permissionKeys: keys, how: 'added', at },
    };
    return [
      { item: ofTeam('team'), outcome: 'moved', commands: [added] },
      ...keys.map((key): TeamPart => ({ item: ofTeam('team_permission', key), outcome: 'moved', commands: [] })),
      ...mergeTeamProfile(ofTeam('team_profile'), { kept: noProfile, duplicate: profile }, at),
    ];
  }
  const { permissions, profile } = kept;
  return [
    { item: ofTeam('team'), outcome: 'already_there', commands: [] },
    ...keys.map((permissionKey): TeamPart => {
      const item = ofTeam('team_permission', permissionKey);
      if (permissions.has(permissionKey)) return { item, outcome: 'already_there', commands: [] };
      return { item, outcome: 'moved', commands: [{ type: 'GrantPermission', permissionKey, at }] };
    }),
    ...mergeTeamProfile(ofTeam('team_profile'), { kept: profile, duplicate: duplicate.profile }, at),
  ];
}

const noProfile: Member['profile'] = { displayName: null, profileImageUrl: null };

/** Name and image are filled in one by one. */
function mergeTeamProfile(
  item: MergeItem,
  { kept, duplicate }: { kept: Member['profile']; duplicate: Member['profile'] },
  at: string,
): TeamPart[] {
  if (isSameJson(duplicate, noProfile)) return [];
  const displayName = kept.displayName ?? duplicate.displayName;
  const profileImageUrl = kept.profileImageUrl ?? duplicate.profileImageUrl;
  if (displayName === kept.displayName && profileImageUrl === kept.profileImageUrl) {
    return [{ item, outcome: dropReasonOf(kept, duplicate), commands: [] }];
  }
  return [{ item, outcome: 'moved', commands: [{ type: 'ChangeProfile', displayName, profileImageUrl, at }] }];
}
