import type { UserBatchSelection } from '@gatebook/contract/user-batches';
import { reject } from '@gatebook/domain/errors';
import { locksOut } from '@gatebook/domain/user-batch/decide';
import { findUsers } from '@gatebook/readmodel/users/find';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { toFilters } from '../users/search-users.ts';

/** Of one batch, so that its list is stored in one statement. */
const largestBatch = 100_000;
const pageSize = 1_000;

/**
 * The users whom a batch would change now, each once. Without the member who asks, where the batch would end their
 * session.
 * @throws DomainError USER_BATCH_TOO_LARGE
 */
export async function selectUsers(
  deps: Pick<Deps, 'db'>,
  { projectId, owner }: Pick<Caller, 'projectId' | 'owner'>,
  { action, user_ids: ids, filters = {}, except_user_ids: except = [] }: UserBatchSelection,
): Promise<string[]> {
  const selected = new Set(ids ?? (await findMatching(deps, projectId, filters)));
  for (const id of except) selected.delete(id);
  if (owner && locksOut(action)) selected.delete(owner.id);
  if (selected.size > largestBatch) reject('USER_BATCH_TOO_LARGE', { limit: largestBatch });
  return [...selected];
}

async function findMatching(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  filters: NonNullable<UserBatchSelection['filters']>,
): Promise<readonly string[]> {
  const found: string[] = [];
  const options = {
    ...(await toFilters(db, projectId, filters)),
    limit: pageSize,
    isDescending: false,
    sortedBy: 'signedUp' as const,
  };
  let cursor: string | null = null;
  do {
    const { items, nextCursor } = await findUsers(db, projectId, { ...options, cursor });
    found.push(...items.map(({ id }) => id));
    cursor = nextCursor;
  } while (cursor !== null && found.length <= 2 * largestBatch);
  return found;
}
