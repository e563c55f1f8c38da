import { hasWildcard } from '@gatebook/domain/project/trusted-domains';
import type { ProjectConfig, TeamInvitation, TeamsClient } from '@gatebook/js/admin';
import { useAction, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DialogButtons } from '../../components/dialog-buttons.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { usePagedList } from '../../components/paged-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { PresentOnly } from '../../components/writing.tsx';
import { emailFault } from '../../lib/library-texts.ts';

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
      <FormDialog opened={isInviting} onClose={() => setInviting(false)} title={t`Invite member`}>
        {config && (
          <InviteForm
            config={config}
            onClose={() => setInviting(false)}
            invite={async (invitation) => {
              await teams.invite(teamId, invitation);
              await cache.invalidate(keyOf(projectId, teamId));
            }}
          />
        )}
      </FormDialog>
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

type Values = { email: string; callbackUrl: string };
type InviteFormProps = { config: ProjectConfig; onClose: () => void; invite: (invitation: Values) => Promise<void> };

function InviteForm({ config, onClose, invite }: InviteFormProps) {
  const form = useForm<Values>({
    initialValues: { email: '', callbackUrl: defaultInvitationUrl(config) },
    validate: { email: emailFault, callbackUrl: (url) => (URL.canParse(url) ? null : t`Enter a complete URL`) },
  });
  const action = useAction(async ({ email, callbackUrl }: Values) => {
    await invite({ email: email.trim(), callbackUrl: callbackUrl.trim() });
    onClose();
  });
  return (
    <form onSubmit={form.onSubmit((values) => void action.run(values))} noValidate>
      <Stack gap="md">
        <TextInput label={t`Email`} type="email" data-autofocus {...form.getInputProps('email')} />
        <TextInput
          label={t`Invitation URL`}
          description={t`The page of your app that accepts invitations. Must be on a trusted domain.`}
          {...form.getInputProps('callbackUrl')}
        />
        <DialogButtons action={action} submitLabel={t`Send invitation`} onClose={onClose} />
      </Stack>
    </form>
  );
}

/** The default URL of the page: on the first trusted domain without wildcards, or else on localhost if allowed. */
function defaultInvitationUrl({ domains, allowLocalhost }: ProjectConfig): string {
  const first = domains.find(({ domain }) => !hasWildcard(domain));
  if (first) return `${first.domain}${first.handlerPath}/team-invitation`;
  return allowLocalhost ? 'http://localhost:3000/handler/team-invitation' : '';
}
