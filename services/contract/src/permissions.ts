import { systemPermissionIds } from '@gatebook/domain/permission/definition';
import { z } from 'zod';
import { description, flagText, pagedListOf, pageFields, textOf, textUpTo, userId, uuid } from './common.ts';

const permissionIdForm = /^[a-z0-9_:]+$/;
/** ID of a definition: system IDs are not allowed. */
const definitionId = textOf(
  z.string().max(255).regex(permissionIdForm, 'must consist of lower-case letters, digits, _ and :'),
);
/** Anywhere else: the ID of a definition or of one of the six system permissions. */
export const permissionId = textOf(
  z
    .string()
    .max(255)
    .refine((id) => permissionIdForm.test(id) || systemPermissionIds.includes(id), 'must be a permission id'),
);

export const PermissionDefinitionView = z
  .object({ id: z.string(), description: z.string().optional(), contained_permission_ids: z.array(z.string()) })
  .meta({ id: 'PermissionDefinition', description: '`description` is left out when there is none.' });
export type PermissionDefinitionView = z.infer<typeof PermissionDefinitionView>;
export const PermissionDefinitionList = pagedListOf(PermissionDefinitionView).meta({ id: 'PermissionDefinitionList' });
export type PermissionDefinitionList = z.infer<typeof PermissionDefinitionList>;

/** `query`: part of an ID or a description. */
export const PermissionDefinitionsQuery = z.strictObject({ ...pageFields, query: textUpTo(512).optional() });

const contained = z.array(permissionId).max(1000);
export const NewPermissionDefinition = z
  .strictObject({
    id: definitionId,
    description: description.nullable().optional(),
    contained_permission_ids: contained.optional(),
  })
  .meta({ id: 'NewPermissionDefinition' });
export const PermissionDefinitionPatch = z
  .strictObject({
    id: definitionId.optional(),
    description: description.nullable().optional(),
    contained_permission_ids: contained.optional(),
  })
  .meta({ id: 'PermissionDefinitionPatch' });

export const TeamPermissionView = z
  .object({ id: z.string(), user_id: z.uuid(), team_id: z.uuid() })
  .meta({ id: 'TeamPermission' });
export const TeamPermissionList = pagedListOf(TeamPermissionView).meta({ id: 'TeamPermissionList' });
export const ProjectPermissionView = z.object({ id: z.string(), user_id: z.uuid() }).meta({ id: 'ProjectPermission' });
export const ProjectPermissionList = pagedListOf(ProjectPermissionView).meta({ id: 'ProjectPermissionList' });

const projectFilters = {
  user_id: userId.optional(),
  permission_id: permissionId.optional(),
  /** Includes contained permissions. */
  recursive: flagText.optional(),
  ...pageFields,
};
export const ProjectPermissionsQuery = z.strictObject(projectFilters);
export const TeamPermissionsQuery = z.strictObject({ ...projectFilters, team_id: uuid.optional() });

export const PermissionHoldersQuery = z.strictObject({ scope: z.enum(['team', 'project']), ...pageFields });
export const PermissionHolder = z
  .object({
    user_id: z.uuid(),
    user_display_name: z.string().nullable(),
    team_id: z.uuid().nullable(),
    team_display_name: z.string().nullable(),
    granted_permission_ids: z.array(z.string()),
  })
  .meta({
    id: 'PermissionHolder',
    description: '`granted_permission_ids`: the permission itself, or those that were granted and contain it.',
  });
export const PermissionHolderCountsQuery = z.strictObject({ scope: z.enum(['team', 'project']) });
export const PermissionHolderCounts = z
  .object({
    items: z.array(z.object({ permission_id: z.string(), count: z.number().int(), is_complete: z.boolean() })),
  })
  .meta({ id: 'PermissionHolderCounts', description: '`is_complete`: false if there are more than 1,000.' });
export type PermissionHolderCounts = z.infer<typeof PermissionHolderCounts>;

export const PermissionHolderList = pagedListOf(PermissionHolder)
  .extend({ count: z.number().int() })
  .meta({ id: 'PermissionHolderList', description: '`count`: on all pages together.' });
export type PermissionHolderList = z.infer<typeof PermissionHolderList>;
