import type { UserChanges, UsersClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { Button, CloseButton, TextInput } from '@mantine/core';
import { IconSearch, IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { LinkButton } from '../../components/app-link.tsx';
import { Page } from '../../components/page.tsx';
import { Card, EmptyNote, ErrorNote, RowsLoading } from '../../components/states.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { useTitle } from '../../lib/use-title.ts';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { Pager } from './pager.tsx';
import classes from './users-page.module.css';
import { type UsersSearch, usersHref } from './users-search.ts';
import { UsersTable } from './users-table.tsx';

const PAGE_SIZE = 25;
/** Typing pause after which the search runs. */
const DEBOUNCE_MS = 250;

type UsersPageProps = {
  users: UsersClient;
  projectId: string;
  projectName: string | undefined;
  search: UsersSearch;
};

export function UsersPage({ users, projectId, projectName, search }: UsersPageProps) {
  useTitle('Users', projectName);
  const { go } = useNavigation();
  const [isCreating, setCreating] = useState(false);
  const params = { cursor: search.cursor, limit: PAGE_SIZE, desc: !search.oldestFirst, query: search.query };
  const list = useResource(['users', projectId, search.query, search.oldestFirst, search.cursor, PAGE_SIZE], () =>
    users.list(params),
  );
  const show = (change: Partial<UsersSearch>, options?: { replace?: boolean }): void =>
    go(usersHref(projectId, { ...search, cursor: null, ...change }), options);
  const goBack = useAction(async (cursor: string) => {
    show(await users.findPreviousPage({ ...params, cursor }));
  });
  const isEmpty = list.value?.items.length === 0;
  return (
    <Page
      title="Users"
      actions={
        <>
          <LinkButton variant="default" href={`/projects/${projectId}/deleted-users`}>
            Deleted users
          </LinkButton>
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            Create user
          </Button>
        </>
      }
    >
      <SearchField value={search.query} onChange={(query) => show({ query }, { replace: true })} />
      {(list.error ?? goBack.error) !== undefined && (
        <ErrorNote
          title="The users could not be loaded"
          error={list.error ?? goBack.error}
          onRetry={list.refresh}
          isRetrying={list.isFetching}
        />
      )}
      {(list.value !== undefined || list.error === undefined) && (
        <Card flush>
          {list.value === undefined && <RowsLoading rows={8} label="Loading users" />}
          {list.value && !isEmpty && (
            <UsersTable
              users={list.value.items}
              projectId={projectId}
              oldestFirst={search.oldestFirst}
              onSort={() => show({ oldestFirst: !search.oldestFirst })}
            />
          )}
          {isEmpty && <NoUsers search={search} onFirstPage={() => show({})} onClear={() => show({ query: '' })} />}
          {list.value && (
            <Pager
              count={list.value.items.length}
              hasPrevious={search.cursor !== null}
              hasNext={list.value.nextCursor !== null}
              isBusy={goBack.isRunning}
              onPrevious={() => (search.cursor === null || isEmpty ? show({}) : void goBack.run(search.cursor))}
              onNext={() => show({ cursor: list.value?.nextCursor ?? null })}
            />
          )}
        </Card>
      )}
      <CreateUserDialog
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        create={async (input: UserChanges) => {
          const user = await users.create(input);
          go(`/projects/${projectId}/users/${user.id}`);
        }}
      />
    </Page>
  );
}

function NoUsers({ search, onFirstPage, onClear }: NoUsersProps) {
  if (search.cursor !== null) {
    return (
      <EmptyNote
        title="This page no longer exists"
        action={<Button onClick={onFirstPage}>Go to the first page</Button>}
      >
        Its first user has been deleted.
      </EmptyNote>
    );
  }
  if (search.query !== '') {
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
        No name, email or ID matches “{search.query}”.
      </EmptyNote>
    );
  }
  return (
    <EmptyNote icon={<IconUsers size={22} aria-hidden />} title="No users yet">
      Users appear here once they sign up in your app. You can also create one yourself.
    </EmptyNote>
  );
}
type NoUsersProps = { search: UsersSearch; onFirstPage: () => void; onClear: () => void };

/** Reports the search text when typing pauses, and follows the URL when it changes, as on Back. */
function SearchField({ value, onChange }: { value: string; onChange: (query: string) => void }) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text.trim() === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text.trim();
      latest.current(reported.current);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      type="search"
      aria-label="Search users"
      placeholder="Search by name, email or ID"
      className={classes.search}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      rightSection={text !== '' && <CloseButton size="sm" aria-label="Clear search" onClick={() => setText('')} />}
    />
  );
}
