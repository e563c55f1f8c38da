import { compareIds, type Definitions, expandPermissions, idsOf } from '@gatebook/domain/permission/effective';
import { cutPage, type Listed, type Page, type SortKey, wholeList } from '@gatebook/readmodel/list-pages';

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

/**
 * Cuts a page out of the entries of a list of permissions, which are sorted by holder and permission ID. `keyOf`: sort
 * key, with the permission ID as its last text. `next`: sort key of the grants that were not read.
 */
export function cutPermissions<Entry>(
  entries: readonly Entry[],
  page: Page,
  keyOf: (entry: Entry) => SortKey,
  next: SortKey | null = null,
): Listed<Entry> {
  return cutPage(entries, page, keyOf, isEarlierPermission, next && [...next, '']);
}

/** Grants of earlier holders are not read at all. */
const isEarlierPermission = (key: SortKey, from: SortKey) =>
  key.slice(0, -1).join() === from.slice(0, -1).join() && compareIds(key.at(-1) ?? '', from.at(-1) ?? '') < 0;

/** Where to read the grants of a page; a holder's permissions are cut afterwards. */
export const grantsOf = ({ from }: Page): Page => ({ ...wholeList, from });
