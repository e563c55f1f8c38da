import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconSearch, IconUsers } from '@tabler/icons-react';
import { EmptyNote } from '../../components/states.tsx';
import { useMoment } from '../../lib/moment.ts';
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
  const { value: moment } = useMoment();
  if (hasMore) {
    return (
      <EmptyNote
        icon={<IconSearch size={22} aria-hidden />}
        title={t`No matches so far`}
        action={
          <Button onClick={onNext}>
            <Trans>Continue searching</Trans>
          </Button>
        }
      >
        <Trans>None of the users searched so far matches these filters.</Trans>
      </EmptyNote>
    );
  }
  if (search.cursor !== null) {
    return isFiltered(search) ? (
      <EmptyNote
        title={t`No more users`}
        action={
          <Button onClick={onFirstPage}>
            <Trans>Go to the first page</Trans>
          </Button>
        }
      >
        <Trans>No other user matches these filters.</Trans>
      </EmptyNote>
    ) : (
      <EmptyNote
        title={t`This page no longer exists`}
        action={
          <Button onClick={onFirstPage}>
            <Trans>Go to the first page</Trans>
          </Button>
        }
      >
        <Trans>Its first user has been deleted.</Trans>
      </EmptyNote>
    );
  }
  if (isFiltered(search)) {
    return (
      <EmptyNote
        icon={<IconSearch size={22} aria-hidden />}
        title={t`No users found`}
        action={
          <Button variant="default" onClick={onClear}>
            <Trans>Show all users</Trans>
          </Button>
        }
      >
        {search.query === '' ? t`No user matches these filters.` : t`No name, email or ID matches “${search.query}”.`}
      </EmptyNote>
    );
  }
  return (
    <EmptyNote
      icon={<IconUsers size={22} aria-hidden />}
      title={moment === null ? t`No users yet` : t`No users at this time`}
    >
      {moment === null && (
        <Trans>Users appear here once they sign up in your app. You can also create one yourself.</Trans>
      )}
    </EmptyNote>
  );
}
