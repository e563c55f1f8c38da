import { compareIds, type Definitions, expandPermissions, idsOf } from '@gatebook/domain/permission/effective';

type Grant = { userId: string; permission: string };
type Options = { permissionId: string | undefined; isRecursive: boolean };

/**
 * Permission IDs of one holder (a user, or a user in a team) without duplicates, sorted. Includes contained permissions
 * if requested, and only the requested ID if there is one. Skips grants without a definition.
 */
export function listHeldPermissionIds(
  definitions: Definitions,
  grants: readonly Grant[],
  { permissionId, isRecursive }: Options,
): string[] {
  const keys = grants.map(({ permission }) => permission);
  const ids = idsOf(definitions, isRecursive ? expandPermissions(definitions, keys) : keys);
  return ids.filter((id) => permissionId === undefined || id === permissionId).sort(compareIds);
}

/** Groups grants by holder, in the order of the first grant of each; `holder` is that grant. */
export function groupByHolder<G extends Grant>(
  grants: readonly G[],
  holderOf: (grant: G) => string,
): { holder: G; grants: G[] }[] {
  return [...Map.groupBy(grants, holderOf).values()].flatMap((ofHolder) => {
    const [holder] = ofHolder;
    return holder ? [{ holder, grants: ofHolder }] : [];
  });
}
