/** System permissions of team scope: always there, contain nothing (protocol, resources §6.1). */
export const systemPermissionIds = [
  '$update_team',
  '$delete_team',
  '$read_members',
  '$remove_members',
  '$invite_members',
  '$manage_api_keys',
] as const;

/** Team definitions that every new project has; project scope starts empty. */
export const initialTeamPermissionIds = ['team_admin', 'team_member'] as const;
