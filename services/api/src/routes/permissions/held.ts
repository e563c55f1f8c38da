import { compareIds, type Definitions, expandPermissions, idsOf } from '@gatebook/domain/permission/effective';

type Grant = { userId: string; permission: string };
type Options = { permissionId: string | undefined; isRecursive: boolean };

/**
 * Direct grants of one holder each (a user, or a user in a team) as ids, each once: with all that they contain where asked, and
 * then only the one id where one is asked for. Sorted by id; grants whose definition is gone are left out.
 */
export function heldPermissionIds(
  definitions: Definitions,
  grants: readonly Grant[],
  { permissionId, isRecursive }: Options,
): string[] {
  const keys = grants.map(({ permission }) => permission);
  const ids = idsOf(definitions, isRecursive ? expandPermissions(definitions, keys) : keys);
  return ids.filter((id) => permissionId === undefined || id === permissionId).sort(compareIds);
}

/** Grants by holder, in the order in which the holders first come; `holder` is the first grant of each. */
export function byHolder<G extends Grant>(
  grants: readonly G[],
  holderOf: (grant: G) => string,
): { holder: G; grants: G[] }[] {
  return [...Map.groupBy(grants, holderOf).values()].flatMap((ofHolder) => {
    const [holder] = ofHolder;
    return holder ? [{ holder, grants: ofHolder }] : [];
  });
}
