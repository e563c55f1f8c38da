import type { HeldPermission, PermissionScope, PermissionsClient } from '@gatebook/js/admin';
import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { PlainLink } from '../../components/app-link.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { plural } from '../../lib/format.ts';

type Props = {
  permissions: Pick<PermissionsClient, 'listHolders'>;
  projectId: string;
  scope: PermissionScope;
  id: string;
};

/** Opens the list of those who have a permission. */
export function HoldersButton({ id, ...list }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="compact-sm" variant="subtle" aria-label={`Show holders of ${id}`} onClick={() => setOpen(true)}>
        Show holders
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Holders of ${id}`} size="lg">
        <Holders id={id} {...list} />
      </Modal>
    </>
  );
}

function Holders({ permissions, projectId, scope, id }: Props) {
  const [count, setCount] = useState<number>();
  const list = usePagedList(['grants', projectId, 'holders', scope, id], async (page) => {
    const found = await permissions.listHolders(scope, id, page);
    setCount(found.count);
    return found;
  });
  return (
    <>
      {count !== undefined && (
        <Text size="sm" c="dimmed" pb="xs">
          {scope === 'team' ? plural(count, 'membership') : plural(count, 'user')}
        </Text>
      )}
      <Rows list={list} label="Loading holders" empty="Nobody has this permission">
        {(holder) => (
          <Row
            key={`${holder.teamId} ${holder.userId}`}
            icon={<UserAvatar id={holder.userId} name={nameOf(holder)} />}
            small={<Origin holder={holder} id={id} projectId={projectId} />}
          >
            <PlainLink href={`/projects/${projectId}/users/${holder.userId}`}>{nameOf(holder)}</PlainLink>
          </Row>
        )}
      </Rows>
      {list.pager}
    </>
  );
}

const nameOf = ({ userId, userName }: HeldPermission) => userName || userId;

/** The team, and the granted permissions that contain this one. */
function Origin({ holder, id, projectId }: { holder: HeldPermission; id: string; projectId: string }) {
  const { teamId, teamName, grantedIds } = holder;
  const through = grantedIds.includes(id) ? 'granted' : `through ${grantedIds.join(', ')}`;
  if (teamId === null) return through;
  return (
    <>
      in <PlainLink href={`/projects/${projectId}/teams/${teamId}`}>{teamName || teamId}</PlainLink> · {through}
    </>
  );
}
