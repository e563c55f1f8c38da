import type { User } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { userName, userSubtitle } from '../lib/user-name.ts';
import { Row, Rows } from './rows.tsx';
import { UserAvatar } from './user-avatar.tsx';
import classes from './user-search.module.css';

/** Users that a search shows at most. */
export const maxFoundUsers = 8;
const debounceMs = 250;

type Props<Found> = {
  /** The key of the results in the cache. */
  cacheKey: readonly string[];
  search: (query: string) => Promise<readonly Found[]>;
  /** The button for one user. `refresh` searches again. */
  button: (found: Found, refresh: () => Promise<void>) => ReactNode;
};

/** Searches users while typing. */
export function UserSearch<Found extends { user: User }>({ cacheKey, search, button }: Props<Found>) {
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), debounceMs);
  const list = useResource([...cacheKey, query], () => search(query));
  return (
    <Stack gap="sm">
      <TextInput
        label={t`Search users`}
        placeholder={t`Name, email or ID`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      <div className={classes.found}>
        <Rows list={list} label={t`Searching users`} empty={t`No users found`}>
          {(found) => (
            <Row
              key={found.user.id}
              icon={<UserAvatar id={found.user.id} name={userName(found.user)} />}
              small={userSubtitle(found.user)}
              actions={button(found, list.refresh)}
            >
              {userName(found.user)}
            </Row>
          )}
        </Rows>
      </div>
    </Stack>
  );
}
