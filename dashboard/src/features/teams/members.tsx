import type {
  AuditClient,
  ExplanationsClient,
  PermissionsClient,
  TeamMember,
  TeamsClient,
  UsersClient,
} from '@gatebook/js/admin';
import { useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { PlainLink } from '../../components/app-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CauseButton } from '../../components/explanations/cause-button.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { UserAvatar } from '../../components/user-avatar.tsx';
import { userSubtitle } from '../../lib/user-name.ts';
import { nameOf } from './member-name.ts';

const MemberPermissionsDialog = lateDialog(
  async () => (await import('./member-permissions-dialog.tsx')).MemberPermissionsDialog,
  ({ editing }) => editing !== null,
);
const AddMemberDialog = lateDialog(async () => (await import('./add-member-dialog.tsx')).AddMemberDialog);

type Props = {
  teams: TeamsClient;
  users: Pick<UsersClient, 'search'>;
  permissions: PermissionsClient;
  explanations: Pick<ExplanationsClient, 'permission'>;
  audit: AuditClient;
  projectId: string;
  teamId: string;
};

export function Members({ teams, users, permissions, explanations, audit, projectId, teamId }: Props) {
  const list = usePagedList(['team-members', projectId, teamId], (page) => teams.listMembers(teamId, page));
  const cache = useResourceCache();
  const reload = () => Promise.all([list.refresh(), cache.invalidate(['teams', projectId])]);
  const [isAdding, setAdding] = useState(false);
  const [editing, setEditing] = useState<TeamMember | null>(null);
  const [removing, setRemoving] = useState<TeamMember | null>(null);
  return (
    <Card
      title={t`Members`}
      labelId="members-title"
      flush
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setAdding(true)}>
          <Trans>Add member</Trans>
        </Button>
      }
    >
      <Rows list={list} label={t`Loading members`} empty={t`No members yet`}>
        {(member) => (
          <Row
            key={member.user.id}
            icon={<UserAvatar id={member.user.id} name={nameOf(member)} />}
            small={userSubtitle(member.user)}
            details={
              <>
                <CauseButton
                  audit={audit}
                  projectId={projectId}
                  question={t`Why is ${nameOf(member)} a member?`}
                  filters={{ type: 'TeamMemberAdded', targetType: 'user', targetId: member.user.id }}
                  targetId={teamId}
                />
                <Button
                  size="compact-sm"
                  variant="subtle"
                  onClick={() => setEditing(member)}
                  aria-label={t`Permissions of ${nameOf(member)}`}
                >
                  <Trans>Permissions</Trans>
                </Button>
              </>
            }
            actions={
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                onClick={() => setRemoving(member)}
                aria-label={t`Remove ${nameOf(member)}`}
              >
                <Trans>Remove</Trans>
              </Button>
            }
          >
            <PlainLink href={`/projects/${projectId}/users/${member.user.id}`}>{nameOf(member)}</PlainLink>
          </Row>
        )}
      </Rows>
      {list.pager}
      <AddMemberDialog
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        users={users}
        teamId={teamId}
        add={async (userId) => {
          await teams.addMember(teamId, userId);
          await reload();
        }}
      />
      <MemberPermissionsDialog
        editing={editing}
        onClose={() => setEditing(null)}
        permissions={permissions}
        projectId={projectId}
        teamId={teamId}
        explanations={explanations}
      />
      <ConfirmDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={t`Remove this member?`}
        confirmLabel={t`Remove member`}
        call={removing ? { method: 'DELETE', path: `/team-memberships/${teamId}/${removing.user.id}` } : undefined}
        onConfirm={async () => {
          if (removing) await teams.removeMember(teamId, removing.user.id);
          await reload();
        }}
      >
        <Trans>
          {removing && nameOf(removing)} loses all permissions in this team. The user account is not deleted.
        </Trans>
      </ConfirmDialog>
    </Card>
  );
}
