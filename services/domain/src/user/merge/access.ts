import { drop, itemOf, type Merge, move, moveSingle, type UserPart } from './parts.ts';

/** Permissions, notification preferences, the selected team and the restriction. */
export function mergeAccess({ kept, duplicate, teams, at }: Merge): UserPart[] {
  const [own, other] = [kept.user, duplicate.user];
  const permissions = [...other.permissions].map((permissionKey): UserPart => {
    const item = itemOf('project_permission', permissionKey);
    if (own.permissions.has(permissionKey)) return drop(item, 'already_there');
    return move(item, { type: 'GrantProjectPermission', permissionKey, at });
  });
  const categories = [...other.disabledCategories].map((category): UserPart => {
    const item = itemOf('unsubscribed_category', category);
    if (own.disabledCategories.has(category)) return drop(item, 'already_there');
    return move(item, { type: 'ChangeNotificationPreference', category, isEnabled: false, at });
  });
  const selected = teams.find(({ teamId }) => teamId === other.selectedTeamId)?.teamId ?? null;
  const restrictions = { kept: own.adminRestriction, duplicate: other.adminRestriction };
  return [
    ...permissions,
    ...categories,
    ...moveSingle('selected_team', { kept: own.selectedTeamId, duplicate: selected }, (teamId) => {
      return { type: 'SelectTeam', teamId, at };
    }),
    // Comes last, because it ends the sessions. A merge must not lift it.
    ...moveSingle('restriction', restrictions, (texts) => {
      return { type: 'ChangeAdminRestriction', isRestricted: true, ...texts, at };
    }),
  ];
}
