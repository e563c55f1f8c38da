import type { User, UserFilters, UsersClient } from '@gatebook/js/admin';

const PAGE_SIZE = 1_000;

/** All users who match, page by page, in the order of sign-up, which does not change meanwhile. Pages can be empty. */
export async function* readAllMatching(
  users: Pick<UsersClient, 'search'>,
  filters: UserFilters,
): AsyncGenerator<readonly User[]> {
  let cursor: string | null = null;
  do {
    const page = await users.search({ ...filters, orderBy: 'signedUpAt', desc: false, limit: PAGE_SIZE, cursor });
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
