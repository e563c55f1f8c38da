import type { PermissionsClient } from '@gatebook/js/permissions';
import type { TeamMember, TeamsClient } from '@gatebook/js/teams';
import type { UsersClient } from '@gatebook/js/users';
import { useResource } from '@gatebook/react/use-resource';
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { PlainLink } from '../../components/app-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Grants } from '../../components/grants.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { secondLineOf, userName } from '../../lib/user-name.ts';
import { AddMemberDialog } from './add-member-dialog.tsx';

type Props = {
  teams: TeamsClient;
  users: Pick<UsersClient, 'list'>;
  permissions: PermissionsClient;
  projectId: string;
  teamId: string;
};

export function Members({ teams, users, permissions, projectId, teamId }: Props) {
  const list = useResource(['team-members', projectId, teamId], () => teams.listMembers(teamId));
  const [isAdding, setAdding] = useState(false);
  const [allowing, setAllowing] = useState<TeamMember | null>(null);
  const [removing, setRemoving] = useState<TeamMember | null>(null);
  return (
    <Card
      title="Members"
      labelId="members-title"
      flush
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setAdding(true)}>
          Add member
        </Button>
      }
    >
      <Rows list={list} label="Loading members" empty="Nobody is in this team.">
        {(member) => (
          <Row
            key={member.user.id}
            icon={<UserAvatar id={member.user.id} name={nameOf(member)} />}
            small={secondLineOf(member.user)}
            actions={
              <>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  onClick={() => setAllowing(member)}
                  aria-label={`Permissions of ${nameOf(member)}`}
                >
                  Permissions
                </Button>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  onClick={() => setRemoving(member)}
                  aria-label={`Remove ${nameOf(member)}`}
                >
                  Remove
                </Button>
              </>
            }
          >
            <PlainLink href={`/projects/${projectId}/users/${member.user.id}`}>{nameOf(member)}</PlainLink>
          </Row>
        )}
      </Rows>
      <AddMemberDialog
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        users={users}
        isMember={(userId) => list.value?.some(({ user }) => user.id === userId) ?? false}
        add={async (userId) => {
          await teams.addMember(teamId, userId);
          await list.refresh();
        }}
      />
      <Modal
        opened={allowing !== null}
        onClose={() => setAllowing(null)}
        title={allowing ? `What ${nameOf(allowing)} may do in this team` : ''}
        size="lg"
      >
        {allowing && (
          <Grants permissions={permissions} projectId={projectId} holder={{ teamId, userId: allowing.user.id }} />
        )}
      </Modal>
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title="Remove this member?"
        confirmLabel="Remove member"
        onConfirm={async () => {
          if (removing) await teams.removeMember(teamId, removing.user.id);
          await list.refresh();
        }}
      >
        {removing && nameOf(removing)} loses what they may do in this team. The account stays.
      </ConfirmDialog>
    </Card>
  );
}

const nameOf = ({ displayName, user }: TeamMember) => displayName || userName(user);
