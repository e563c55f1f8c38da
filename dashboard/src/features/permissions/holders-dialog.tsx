import type { HeldPermission, PermissionScope, PermissionsClient } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { PlainLink } from '../../components/app-link.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { describeCount } from './holder-count.ts';

export type HoldersProps = {
  permissions: Pick<PermissionsClient, 'listHolders'>;
  projectId: string;
  scope: PermissionScope;
  id: string;
};

export function HoldersDialog({ isOpen, onClose, ...props }: HoldersProps & { isOpen: boolean; onClose: () => void }) {
  const { id } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Holders of ${id}`} size="lg">
      <Holders {...props} />
    </Modal>
  );
}

function Holders({ permissions, projectId, scope, id }: HoldersProps) {
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
