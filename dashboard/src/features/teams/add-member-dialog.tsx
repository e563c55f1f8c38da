import type { UsersClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
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
  users: Pick<UsersClient, 'list'>;
  isMember: (userId: string) => boolean;
  add: (userId: string) => Promise<void>;
};

export function AddMemberDialog({ isOpen, onClose, ...search }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Add member" size="lg">
      <SearchUsers {...search} />
    </Modal>
  );
}

/** Searches users while typing. Several can be added one after another. */
function SearchUsers({ users, isMember, add }: Omit<Props, 'isOpen' | 'onClose'>) {
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), debounceMs);
  const found = useResource(['member-search', query], async () => {
    return (await users.list({ query, limit: maxResults, desc: true })).items;
  });
  const action = useAction(add);
  return (
    <Stack gap="sm">
      <TextInput
        label="Search users"
        placeholder="Name, email or ID"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <Rows list={found} label="Searching users" empty="No users found">
        {(user) => (
          <Row
            key={user.id}
            icon={<UserAvatar id={user.id} name={userName(user)} />}
            small={userSubtitle(user)}
            actions={
              <Button
                size="compact-sm"
                variant="default"
                disabled={isMember(user.id) || action.isRunning}
                onClick={() => void action.run(user.id)}
                aria-label={`Add ${userName(user)}`}
              >
                {isMember(user.id) ? 'Member' : 'Add'}
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
