import type { MembershipEvent } from '@gatebook/domain/membership/events';
import { initialPermissions, type PermissionDefinition } from '@gatebook/domain/permission/definition';
import type { ProjectEvent } from '@gatebook/domain/project/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import { insert, type Projection, remove } from '@gatebook/projections/changes';

const define = (projectId: string, { key, id, scope, description, contained }: PermissionDefinition) =>
  insert('permission_definitions', { project_id: projectId, key, id, scope, description, contained });

export const permissionsProjection: Projection<ProjectEvent | MembershipEvent | UserEvent> = {
  ProjectCreated: ({ data }) => initialPermissions.map((definition) => define(data.projectId, definition)),
  PermissionDefinitionCreated: ({ data }) => [define(data.projectId, data)],
  PermissionDefinitionChanged: ({ data }) => [define(data.projectId, data)],
  PermissionDefinitionDeleted: ({ data }) => [
    remove('permission_definitions', { project_id: data.projectId, key: data.key }),
  ],
  TeamMemberAdded: ({ data: { teamId, userId, projectId, permissionKeys } }) =>
    permissionKeys.map((permission) =>
      insert('team_permissions', { team_id: teamId, user_id: userId, permission, project_id: projectId }),
    ),
  TeamPermissionGranted: ({ data: { teamId, userId, projectId, permissionKey: permission } }) => [
    insert('team_permissions', { team_id: teamId, user_id: userId, permission, project_id: projectId }),
  ],
  TeamPermissionRevoked: ({ data: { teamId, userId, permissionKey: permission } }) => [
    remove('team_permissions', { team_id: teamId, user_id: userId, permission }),
  ],
  TeamMemberRemoved: ({ data }) => [remove('team_permissions', { team_id: data.teamId, user_id: data.userId })],
  ProjectPermissionGranted: ({ data: { userId, permissionKey: permission }, metadata }) => [
    insert('project_permissions', { user_id: userId, permission, project_id: metadata.projectId }),
  ],
  ProjectPermissionRevoked: ({ data: { userId, permissionKey: permission } }) => [
    remove('project_permissions', { user_id: userId, permission }),
  ],
  UserDeleted: ({ data }) => [
    remove('team_permissions', { user_id: data.userId }),
    remove('project_permissions', { user_id: data.userId }),
  ],
  UserErased: ({ data }) => [remove('team_permissions', { user_id: data.userId })],
};
