import type { PermissionDefinitionView } from '@gatebook/contract/permissions';
import type { Read } from './cache.ts';
import { fromWire, queryOf, toWire } from './fields.ts';
import { type Context, createRead, readList } from './reads.ts';
import type { PageView } from './server-objects.ts';

export type AdminPermissionDefinition = { id: string; description?: string; containedPermissionIds: string[] };
export type PermissionDefinitionUpdateOptions = { description?: string; containedPermissionIds?: string[] };
type Scope = 'Team' | 'Project';
/** `listTeamPermissionDefinitions` and its siblings, and the same for permissions of the project. */
export type PermissionMethods = {
  [Name in Scope as `list${Name}PermissionDefinitions`]: Read<[], AdminPermissionDefinition[]>;
} & {
  [Name in Scope as `create${Name}PermissionDefinition`]: (
    definition: AdminPermissionDefinition,
  ) => Promise<{ id: string }>;
} & {
  [Name in Scope as `update${Name}PermissionDefinition`]: (
    id: string,
    options: PermissionDefinitionUpdateOptions,
  ) => Promise<void>;
} & {
  [Name in Scope as `delete${Name}PermissionDefinition`]: (id: string) => Promise<void>;
} & {
  listTeamPermissionDefinitionsPaginated: Read<
    [options: { limit: number; cursor?: string; query?: string }],
    { items: AdminPermissionDefinition[]; nextCursor: string | null }
  >;
};

export const permissionMethods = (context: Context): PermissionMethods => ({
  ...(methodsOf(context, 'Team') as PermissionMethods),
  ...(methodsOf(context, 'Project') as PermissionMethods),
  listTeamPermissionDefinitionsPaginated: createRead(
    context,
    (options) => `/team-permission-definitions${queryOf(options)}`,
    async (options) => {
      const path = `/team-permission-definitions${queryOf(options)}`;
      const { items, pagination } = await context.send<PageView<PermissionDefinitionView>>('GET', path);
      return { items: items.map(fromWire), nextCursor: pagination?.next_cursor ?? null };
    },
  ),
});

function methodsOf(context: Context, scope: Scope): object {
  const { send, cache } = context;
  const path = `/${scope.toLowerCase()}-permission-definitions`;
  const change = async <Answer>(...request: Parameters<typeof send>): Promise<Answer> => {
    const answer = await send<Answer>(...request);
    await cache.refresh(path);
    return answer;
  };
  return {
    [`list${scope}PermissionDefinitions`]: readList(context, () => path, fromWire<PermissionDefinitionView>),
    [`create${scope}PermissionDefinition`]: async (definition: AdminPermissionDefinition) =>
      fromWire(await change<PermissionDefinitionView>('POST', path, toWire(definition))),
    [`update${scope}PermissionDefinition`]: async (id: string, options: PermissionDefinitionUpdateOptions) => {
      await change('PATCH', `${path}/${encodeURIComponent(id)}`, toWire(options));
    },
    [`delete${scope}PermissionDefinition`]: async (id: string) => {
      await change('DELETE', `${path}/${encodeURIComponent(id)}`, {});
    },
  };
}
