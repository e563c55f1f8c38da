import type { HeldPermission, HolderCount, PermissionScope, PermissionsClient } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { PlainLink } from '../../components/app-link.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { formatCount } from '../../lib/format.ts';

type Props = {
  permissions: Pick<PermissionsClient, 'listHolders'>;
  projectId: string;
  scope: PermissionScope;
  id: string;
};
/** `count`: undefined while loading. */
type ButtonProps = Props & { count: HolderCount | undefined };

/** How many have a permission, and a button that opens the list of them. */
export function HoldersButton({ id, count, ...list }: ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {count && (
        <Text size="sm" c="dimmed">
          {describeCount(list.scope, count)}
        </Text>
      )}
      <Button size="compact-sm" variant="subtle" aria-label={t`Show holders of ${id}`} onClick={() => setOpen(true)}>
        <Trans>Show holders</Trans>
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t`Holders of ${id}`} size="lg">
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
          {describeCount(scope, { count, isComplete: true })}
        </Text>
      )}
      <Rows list={list} label={t`Loading holders`} empty={t`Nobody has this permission`}>
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

function describeCount(scope: PermissionScope, { count, isComplete }: HolderCount): string {
  if (!isComplete) return scope === 'team' ? t`${formatCount(count)}+ memberships` : t`${formatCount(count)}+ users`;
  return scope === 'team'
    ? plural(count, { one: '# membership', other: '# memberships' })
    : plural(count, { one: '# user', other: '# users' });
}

const nameOf = ({ userId, userName }: HeldPermission) => userName || userId;

/** The team, and the granted permissions that contain this one. */
function Origin({ holder, id, projectId }: { holder: HeldPermission; id: string; projectId: string }) {
  const { teamId, teamName, grantedIds } = holder;
  const through = grantedIds.includes(id) ? t`granted` : t`through ${grantedIds.join(', ')}`;
  if (teamId === null) return through;
  return (
    <Trans>
      in <PlainLink href={`/projects/${projectId}/teams/${teamId}`}>{teamName || teamId}</PlainLink> · {through}
    </Trans>
  );
}
