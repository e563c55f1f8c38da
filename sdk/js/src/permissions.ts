import type {
  PermissionDefinitionList,
  PermissionDefinitionView,
  PermissionHolderCounts,
  PermissionHolderList,
} from '@gatebook/contract/permissions';
import type { PreviewedCall } from './changes.ts';
import { type ListPage, type PageQuery, toListPage, toPageParams } from './list-pages.ts';
import type { Send } from './transport.ts';

export type PermissionScope = 'team' | 'project';
export type PermissionDefinition = { id: string; description: string; containedPermissionIds: readonly string[] };
export type PermissionChanges = { id?: string; description?: string; containedPermissionIds?: readonly string[] };
/** The user who holds a permission; `teamId` is null for project permissions. */
export type PermissionHolder = { userId: string; teamId: string | null };

/** Who has a permission, in a team or in the project; `grantedIds` are the granted permissions that give it. */
export type HeldPermission = {
  userId: string;
  userName: string | null;
  teamId: string | null;
  teamName: string | null;
  grantedIds: readonly string[];
};
/** `isComplete`: false if there are more. */
export type HolderCount = { count: number; isComplete: boolean };
/** `count`: on all pages together. */
export type HolderPage = ListPage<HeldPermission> & { count: number };

/** Definitions and grants of one project; for admin access. */
export type PermissionsClient = {
  /** System permissions (`$…`) first, then by ID. */
  list(scope: PermissionScope): Promise<readonly PermissionDefinition[]>;
  create(scope: PermissionScope, definition: PermissionDefinition): Promise<PermissionDefinition>;
  update(scope: PermissionScope, id: string, changes: PermissionChanges): Promise<PermissionDefinition>;
  delete(scope: PermissionScope, id: string): Promise<void>;
  /** IDs of directly granted permissions. */
  listGrants(holder: PermissionHolder): Promise<readonly string[]>;
  /** Those with a permission that contains it have it, too. */
  listHolders(scope: PermissionScope, id: string, page: PageQuery): Promise<HolderPage>;
  /** By ID of the permission, up to 1,000 each. */
  countHolders(scope: PermissionScope): Promise<ReadonlyMap<string, HolderCount>>;
  grant(holder: PermissionHolder, id: string): Promise<void>;
  revoke(holder: PermissionHolder, id: string): Promise<void>;
};

const grantPath = ({ teamId, userId }: PermissionHolder, id: string) =>
  `${teamId === null ? '/project-permissions' : `/team-permissions/${teamId}`}/${userId}/${encodeURIComponent(id)}`;

/** What `grant` and `revoke` call, for a preview. */
export const callOfGrant = (holder: PermissionHolder, id: string, isGranted: boolean): PreviewedCall => ({
  method: isGranted ? 'POST' : 'DELETE',
  path: grantPath(holder, id),
  body: {},
});

export const permissionsClient = (send: Send): PermissionsClient => {
  const path = (scope: PermissionScope) => `/${scope}-permission-definitions`;
  const onePath = (scope: PermissionScope, id: string) => `${path(scope)}/${encodeURIComponent(id)}`;
  return {
    list: async (scope) => (await send<PermissionDefinitionList>('GET', path(scope))).items.map(toDefinition),
    create: async (scope, definition) =>
      toDefinition(await send<PermissionDefinitionView>('POST', path(scope), toWire(definition))),
    update: async (scope, id, changes) =>
      toDefinition(await send<PermissionDefinitionView>('PATCH', onePath(scope, id), toWire(changes))),
    delete: async (scope, id) => {
      await send('DELETE', onePath(scope, id), {});
    },
    listGrants: async ({ teamId, userId }) => {
      const query = new URLSearchParams({ user_id: userId, ...(teamId !== null && { team_id: teamId }) });
      const list = teamId === null ? 'project-permissions' : 'team-permissions';
      return (await send<{ items: { id: string }[] }>('GET', `/${list}?${query}`)).items.map(({ id }) => id);
    },
    listHolders: async (scope, id, page) => {
      const search = new URLSearchParams({ scope, ...toPageParams(page) });
      const view = await send<PermissionHolderList>(
        'GET',
        `/internal/permissions/${encodeURIComponent(id)}/holders?${search}`,
      );
      const found = toListPage(view, (holder) => ({
        userId: holder.user_id,
        userName: holder.user_display_name,
        teamId: holder.team_id,
        teamName: holder.team_display_name,
        grantedIds: holder.granted_permission_ids,
      }));
      return { ...found, count: view.count };
    },
    countHolders: async (scope) => {
      const { items } = await send<PermissionHolderCounts>('GET', `/internal/permissions/holder-counts?scope=${scope}`);
      return new Map(
        items.map(({ permission_id, count, is_complete: isComplete }) => [permission_id, { count, isComplete }]),
      );
    },
    grant: async (holder, id) => {
      await send('POST', grantPath(holder, id), {});
    },
    revoke: async (holder, id) => {
      await send('DELETE', grantPath(holder, id), {});
    },
  };
};

/**
 * All permissions that a permission contains, directly or transitively, mapped to the permission that contains them.
 */
export function containedThrough(definitions: readonly PermissionDefinition[], id: string): Map<string, string> {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const through = new Map<string, string>();
  const open = [id];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const contained of byId.get(next)?.containedPermissionIds ?? []) {
      if (contained === id || through.has(contained)) continue;
      through.set(contained, next);
      open.push(contained);
    }
  }
  return through;
}

function toDefinition(view: PermissionDefinitionView): PermissionDefinition {
  const { id, description = '', contained_permission_ids: containedPermissionIds } = view;
  return { id, description, containedPermissionIds };
}

/** JSON omits undefined fields, which leaves them unchanged. */
function toWire({ id, description, containedPermissionIds }: PermissionChanges) {
  return { id, description, contained_permission_ids: containedPermissionIds };
}
