import type { UsersClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { Row, Rows } from '../../components/rows.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { userName, userSubtitle } from '../../lib/user-name.ts';

const maxResults = 8;
const debounceMs = 250;

type Props = {
  isOpen: boolean;
  onClose: () => void;
  users: Pick<UsersClient, 'search'>;
  teamId: string;
  add: (userId: string) => Promise<void>;
};

export function AddMemberDialog({ isOpen, onClose, ...search }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Add member`} size="lg">
      <SearchUsers {...search} />
    </Modal>
  );
}

/** Searches users while typing. Several can be added one after another. */
function SearchUsers({ users, teamId, add }: Omit<Props, 'isOpen' | 'onClose'>) {
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), debounceMs);
  const search = (filters: { teamId?: string }) => users.search({ query, limit: maxResults, desc: true, ...filters });
  const found = useResource(['member-search', teamId, query], async () => {
    const [{ items }, members] = await Promise.all([search({}), search({ teamId })]);
    return items.map((user) => ({ user, isMember: members.items.some(({ id }) => id === user.id) }));
  });
  const action = useAction(async (userId: string) => {
    await add(userId);
    await found.refresh();
  });
  return (
    <Stack gap="sm">
      <TextInput
        label={t`Search users`}
        placeholder={t`Name, email or ID`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <Rows list={found} label={t`Searching users`} empty={t`No users found`}>
        {({ user, isMember }) => (
          <Row
            key={user.id}
            icon={<UserAvatar id={user.id} name={userName(user)} />}
            small={userSubtitle(user)}
            actions={
              <Button
                size="compact-sm"
                variant="default"
                disabled={isMember || action.isRunning}
                onClick={() => void action.run(user.id)}
                aria-label={`${isMember ? t`Member:` : t`Add`} ${userName(user)}`}
              >
                {isMember ? t`Member` : t`Add`}
              </Button>
            }
          >
            {userName(user)}
          </Row>
        )}
      </Rows>
    </Stack>
  );
}
