import { Button } from '@mantine/core';
import { IconSearch, IconUsers } from '@tabler/icons-react';
import { EmptyNote } from '../../components/states.tsx';
import { isFiltered, type UsersSearch } from './users-search.ts';

type Props = {
  search: UsersSearch;
  /** The search got to its limit, and there are users that it has not looked at. */
  hasMore: boolean;
  onNext: () => void;
  onFirstPage: () => void;
  onClear: () => void;
};

/** A page without users, and what to do about it. */
export function NoUsers({ search, hasMore, onNext, onFirstPage, onClear }: Props) {
  if (hasMore) {
    return (
      <EmptyNote
        icon={<IconSearch size={22} aria-hidden />}
        title="No matches so far"
        action={<Button onClick={onNext}>Continue searching</Button>}
      >
        None of the users looked at so far matches these filters.
      </EmptyNote>
    );
  }
  if (search.cursor !== null) {
    return isFiltered(search) ? (
      <EmptyNote title="No more users" action={<Button onClick={onFirstPage}>Go to the first page</Button>}>
        No other user matches these filters.
      </EmptyNote>
    ) : (
      <EmptyNote
        title="This page no longer exists"
        action={<Button onClick={onFirstPage}>Go to the first page</Button>}
      >
        Its first user has been deleted.
      </EmptyNote>
    );
  }
  if (isFiltered(search)) {
    return (
      <EmptyNote
        icon={<IconSearch size={22} aria-hidden />}
        title="No users found"
        action={
          <Button variant="default" onClick={onClear}>
            Show all users
          </Button>
        }
      >
        {search.query === '' ? 'No user matches these filters.' : `No name, email or ID matches “${search.query}”.`}
      </EmptyNote>
    );
  }
  return (
    <EmptyNote icon={<IconUsers size={22} aria-hidden />} title="No users yet">
      Users appear here once they sign up in your app. You can also create one yourself.
    </EmptyNote>
  );
}
