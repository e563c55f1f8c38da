import type { OwnedProjectsClient, ProjectMember, ProjectMembersClient } from '@gatebook/js/admin';
import { useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { OwnPreviews } from '../../components/changes/owner-previews.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Card } from '../../components/states.tsx';
import { Needs, Writing } from '../../components/writing.tsx';

const TransferDialog = lateDialog(async () => (await import('./transfer-dialog.tsx')).TransferDialog);

type Props = {
  members: Pick<ProjectMembersClient, 'transfer'>;
  projects: Pick<OwnedProjectsClient, 'transfer' | 'listOwnerTeams'>;
  previews: OwnPreviews;
  projectId: string;
  list: readonly ProjectMember[];
  ownId: string | null;
};

/** Hands the project over to another person, who is invited by email, or to a team of the owner. */
export function TransferCard({ members, projects, previews, projectId, list, ownId }: Props) {
  const [isOpen, setOpen] = useState(false);
  const cache = useResourceCache();
  if (projectId === 'internal') return null;
  const isThroughTeam = list.find(({ userId }) => userId === ownId)?.isThroughTeam ?? false;
  return (
    <Needs least="owner">
      <Card title={t`Transfer project`} labelId="transfer-title">
        <Stack gap="md" align="flex-start">
          <Text size="sm">
            {isThroughTeam
              ? t`A team owns this project. Change the members of that team instead.`
              : t`Hand the project over to another person, who becomes an owner in your place, or to one of your teams.`}
          </Text>
          {!isThroughTeam && (
            <Writing needs="owner">
              <Button variant="default" onClick={() => setOpen(true)}>
                <Trans>Transfer project</Trans>
              </Button>
            </Writing>
          )}
        </Stack>
      </Card>
      <TransferDialog
        isOpen={isOpen}
        projectId={projectId}
        others={list.filter(({ userId }) => userId !== ownId).length}
        onClose={() => setOpen(false)}
        listTeams={projects.listOwnerTeams}
        previews={previews}
        transfer={async (email, role) => {
          await members.transfer(email, role);
          await cache.invalidate(['project-invitations', projectId]);
        }}
        transferToTeam={async (teamId) => {
          await projects.transfer(projectId, teamId);
          await Promise.all([['members', projectId], ['projects'], ['audit', projectId]].map(cache.invalidate));
        }}
      />
    </Needs>
  );
}
