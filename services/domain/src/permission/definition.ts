import { z } from 'zod';

export const PermissionScope = z.enum(['team', 'project']);
export type PermissionScope = z.infer<typeof PermissionScope>;

/**
 * What a project calls a permission. Grants and containment name its `key`, which never changes, so a new `id` reaches them all,
 * and a definition that is made anew under an old id does not bring old grants back.
 */
export type PermissionDefinition = {
  key: string;
  id: string;
  scope: PermissionScope;
  description: string | null;
  /** Keys of the same scope. */
  contained: readonly string[];
};

const system = (id: string, description: string): PermissionDefinition => {
  return { key: id, id, scope: 'team', description, contained: [] };
};

/** Always there, in every team, and contain nothing (protocol, resources §6.1). */
export const systemPermissions = [
  system('$update_team', 'Change the name, image and metadata of the team'),
  system('$delete_team', 'Delete the team'),
  system('$read_members', 'See who else is in the team'),
  system('$remove_members', 'Remove other members, and take invitations back'),
  system('$invite_members', 'Invite people to the team'),
  system('$manage_api_keys', 'Create and change the API keys of the team'),
] as const;
export const systemPermissionIds = systemPermissions.map(({ id }) => id);

/** What a new project has; they can be changed and deleted like any other. */
export const initialPermissions: readonly PermissionDefinition[] = [
  {
    key: 'team_admin',
    id: 'team_admin',
    scope: 'team',
    description: 'May do everything in the team',
    contained: systemPermissionIds,
  },
  {
    key: 'team_member',
    id: 'team_member',
    scope: 'team',
    description: 'May see the other members and invite more',
    contained: ['$read_members', '$invite_members'],
  },
];
