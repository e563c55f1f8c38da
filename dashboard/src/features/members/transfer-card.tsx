import type { ProjectMember, ProjectMembersClient } from '@gatebook/js/admin';
import { useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { lateDialog } from '../../components/late-dialog.tsx';
import { Card } from '../../components/states.tsx';
import { Needs, Writing } from '../../components/writing.tsx';

const TransferDialog = lateDialog(async () => (await import('./transfer-dialog.tsx')).TransferDialog);

type Props = {
  members: Pick<ProjectMembersClient, 'transfer'>;
  projectId: string;
  list: readonly ProjectMember[];
  ownId: string | null;
};

/** Hands the project over to another person, who is invited by email. */
export function TransferCard({ members, projectId, list, ownId }: Props) {
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
              : t`Hand the project over to another person, who becomes an owner in your place.`}
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
        transfer={async (email, role) => {
          await members.transfer(email, role);
          await cache.invalidate(['project-invitations', projectId]);
        }}
      />
    </Needs>
  );
}
