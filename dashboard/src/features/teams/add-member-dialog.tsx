import type { UsersClient } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Button, Modal, Stack } from '@mantine/core';
import { ErrorNote } from '../../components/states.tsx';
import { maxFoundUsers, UserSearch } from '../../components/user-search.tsx';
import { userName } from '../../lib/user-name.ts';

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
      <SearchNewMembers {...search} />
    </Modal>
  );
}

/** Several can be added one after another. */
function SearchNewMembers({ users, teamId, add }: Omit<Props, 'isOpen' | 'onClose'>) {
  const action = useAction(async (userId: string, refresh: () => Promise<void>) => {
    await add(userId);
    await refresh();
  });
  async function search(query: string) {
    const searchIn = (filters: { teamId?: string }) =>
      users.search({ query, limit: maxFoundUsers, desc: true, ...filters });
    const [{ items }, members] = await Promise.all([searchIn({}), searchIn({ teamId })]);
    return items.map((user) => ({ user, isMember: members.items.some(({ id }) => id === user.id) }));
  }
  return (
    <Stack gap="sm">
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <UserSearch
        cacheKey={['member-search', teamId]}
        search={search}
        button={({ user, isMember }, refresh) => (
          <Button
            size="compact-sm"
            variant="default"
            disabled={isMember || action.isRunning}
            onClick={() => void action.run(user.id, refresh)}
            aria-label={`${isMember ? t`Member:` : t`Add`} ${userName(user)}`}
          >
            {isMember ? t`Member` : t`Add`}
          </Button>
        )}
      />
    </Stack>
  );
}
