import type { ProjectInvitation, ProjectMembersClient } from '@gatebook/js/admin';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { Needs } from '../../components/writing.tsx';
import { roleLabels } from '../../lib/role.ts';

const InviteDialog = lateDialog(async () => (await import('./invite-dialog.tsx')).InviteDialog);

type Props = { members: ProjectMembersClient; projectId: string };

/** Invitations that were sent and not accepted yet. */
export function InvitationsCard({ members, projectId }: Props) {
  const list = useResource(['project-invitations', projectId], members.listInvitations);
  const [isInviting, setInviting] = useState(false);
  const [revoking, setRevoking] = useState<ProjectInvitation | null>(null);
  const resend = useAction(async (id: string) => {
    await members.resendInvitation(id);
    await list.refresh();
  });
  return (
    <Needs least="owner">
      <Card
        title={t`Invitations`}
        labelId="invitations-title"
        flush
        actions={
          <Button size="compact-sm" variant="default" onClick={() => setInviting(true)}>
            <Trans>Invite member</Trans>
          </Button>
        }
      >
        {resend.error !== undefined && <ErrorNote error={resend.error} />}
        <Rows list={list} label={t`Loading invitations`} empty={t`No pending invitations`}>
          {(invitation) => (
            <InvitationRow
              key={invitation.id}
              invitation={invitation}
              isResending={resend.isRunning}
              onResend={() => void resend.run(invitation.id)}
              onRevoke={() => setRevoking(invitation)}
            />
          )}
        </Rows>
        <InviteDialog
          isOpen={isInviting}
          projectId={projectId}
          onClose={() => setInviting(false)}
          invite={async (email, role) => {
            await members.invite(email, role);
            await list.refresh();
          }}
        />
        <ConfirmDialog
          isOpen={revoking !== null}
          onClose={() => setRevoking(null)}
          title={t`Revoke this invitation?`}
          confirmLabel={t`Revoke invitation`}
          onConfirm={async () => {
            if (revoking) await members.revokeInvitation(revoking.id);
            await list.refresh();
          }}
        >
          <Trans>The link sent to {revoking?.recipientEmail} stops working.</Trans>
        </ConfirmDialog>
      </Card>
    </Needs>
  );
}

type RowProps = {
  invitation: ProjectInvitation;
  isResending: boolean;
  onResend: () => void;
  onRevoke: () => void;
};

function InvitationRow({ invitation, isResending, onResend, onRevoke }: RowProps) {
  const { recipientEmail, role, senderRole, expiresAt } = invitation;
  return (
    <Row
      small={
        <Trans>
          {senderRole === null ? roleLabels[role] : t`Transfer of the project`} · expires{' '}
          <RelativeTime at={expiresAt} />
        </Trans>
      }
      actions={
        <>
          <Button
            size="compact-sm"
            variant="subtle"
            disabled={isResending}
            aria-label={t`Resend invitation for ${recipientEmail}`}
            onClick={onResend}
          >
            <Trans>Resend invitation</Trans>
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={t`Revoke invitation for ${recipientEmail}`}
            onClick={onRevoke}
          >
            <Trans>Revoke invitation</Trans>
          </Button>
        </>
      }
    >
      {recipientEmail}
    </Row>
  );
}
