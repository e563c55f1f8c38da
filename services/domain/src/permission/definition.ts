import { z } from 'zod';

export const PermissionScope = z.enum(['team', 'project']);
export type PermissionScope = z.infer<typeof PermissionScope>;

/**
 * A permission as a project defines it. Grants and containment refer to its `key`, which never changes. So a new `id`
 * applies everywhere, and reusing the ID of a deleted permission does not restore old grants.
 */
export type PermissionDefinition = {
  key: string;
  id: string;
  scope: PermissionScope;
  description: string | null;
  /** Keys of permissions with the same scope. */
  contained: readonly string[];
};

const systemDescriptions = {
  $update_team: 'Change the name, image and metadata of the team',
  $delete_team: 'Delete the team',
  $read_members: 'See the members of the team',
  $remove_members: 'Remove other members and revoke invitations',
  $invite_members: 'Invite people to the team',
  $manage_api_keys: 'Create and change the API keys of the team',
} as const;
export type SystemPermissionId = keyof typeof systemDescriptions;

/** Available in every team; they contain no other permissions (protocol, resources §6.1). */
export const systemPermissions: readonly PermissionDefinition[] = Object.entries(systemDescriptions).map(
  ([id, description]) => ({ key: id, id, scope: 'team', description, contained: [] }),
);
export const systemPermissionIds = systemPermissions.map(({ id }) => id);

/** Permissions of a new project. They can be changed and deleted like any other. */
export const initialPermissions: readonly PermissionDefinition[] = [
  {
    key: 'team_admin',
    id: 'team_admin',
    scope: 'team',
    description: 'Has all permissions in the team',
    contained: systemPermissionIds,
  },
  {
    key: 'team_member',
    id: 'team_member',
    scope: 'team',
    description: 'Can see and invite members',
    contained: ['$read_members', '$invite_members'],
  },
];
