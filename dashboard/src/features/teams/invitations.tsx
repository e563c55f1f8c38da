import type { ProjectConfig, TeamInvitation, TeamsClient } from '@gatebook/js/admin';
import { useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { PresentOnly } from '../../components/writing.tsx';

const InviteDialog = lateDialog(async () => (await import('./invite-dialog.tsx')).InviteDialog);

type Props = { teams: TeamsClient; projectId: string; teamId: string; config: ProjectConfig | undefined };

export function Invitations({ teams, projectId, teamId, config }: Props) {
  const cache = useResourceCache();
  const [isInviting, setInviting] = useState(false);
  return (
    <Card
      title={t`Invitations`}
      labelId="invitations-title"
      flush
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setInviting(true)} disabled={!config}>
          <Trans>Invite member</Trans>
        </Button>
      }
    >
      <PresentOnly p="lg">
        <PendingInvitations teams={teams} projectId={projectId} teamId={teamId} />
      </PresentOnly>
      {config && (
        <InviteDialog
          isOpen={isInviting}
          config={config}
          onClose={() => setInviting(false)}
          invite={async (invitation) => {
            await teams.invite(teamId, invitation);
            await cache.invalidate(keyOf(projectId, teamId));
          }}
        />
      )}
    </Card>
  );
}

const keyOf = (projectId: string, teamId: string) => ['team-invitations', projectId, teamId] as const;

function PendingInvitations({ teams, projectId, teamId }: Omit<Props, 'config'>) {
  const list = usePagedList(keyOf(projectId, teamId), (page) => teams.listInvitations(teamId, page));
  const [revoking, setRevoking] = useState<TeamInvitation | null>(null);
  return (
    <>
      <Rows list={list} label={t`Loading invitations`} empty={t`No pending invitations`}>
        {(invitation) => (
          <Row
            key={invitation.id}
            small={
              <Trans>
                expires <RelativeTime at={invitation.expiresAt} />
              </Trans>
            }
            actions={
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                onClick={() => setRevoking(invitation)}
                aria-label={t`Revoke invitation for ${invitation.recipientEmail}`}
              >
                <Trans>Revoke invitation</Trans>
              </Button>
            }
          >
            {invitation.recipientEmail}
          </Row>
        )}
      </Rows>
      {list.pager}
      <ConfirmDialog
        isOpen={revoking !== null}
        onClose={() => setRevoking(null)}
        title={t`Revoke this invitation?`}
        confirmLabel={t`Revoke invitation`}
        onConfirm={async () => {
          if (revoking) await teams.revokeInvitation(teamId, revoking.id);
          await list.refresh();
        }}
      >
        <Trans>The link sent to {revoking?.recipientEmail} stops working.</Trans>
      </ConfirmDialog>
    </>
  );
}
