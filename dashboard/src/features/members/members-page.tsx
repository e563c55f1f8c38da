import type { AuditClient, OwnedProjectsClient, ProjectMember, ProjectMembersClient } from '@gatebook/js/admin';
import { useResource, useResourceCache } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { HistoryButton } from '../../components/audit/history-button.tsx';
import type { OwnPreviews } from '../../components/changes/owner-previews.tsx';
import { Columns } from '../../components/columns.tsx';
import { Page } from '../../components/page.tsx';
import { Rows } from '../../components/rows.tsx';
import { Card } from '../../components/states.tsx';
import { useNavigation } from '../../lib/navigation.ts';
import { useTitle } from '../../lib/use-title.ts';
import { InvitationsCard } from './invitations-card.tsx';
import { type MemberChange, MemberDialog } from './member-dialog.tsx';
import { MemberRow } from './member-row.tsx';
import { memberName } from './names.ts';
import { RolesCard } from './roles-card.tsx';
import { TransferCard } from './transfer-card.tsx';

export type MembersPageProps = {
  members: ProjectMembersClient;
  projects: Pick<OwnedProjectsClient, 'transfer' | 'listOwnerTeams'>;
  previews: OwnPreviews;
  audit: AuditClient;
  projectId: string;
  /** The signed-in person; null until it is known. */
  ownId: string | null;
};

/** The members of a project and their roles. */
export function MembersPage({ members, projects, previews, audit, projectId, ownId }: MembersPageProps) {
  useTitle(t`Members`);
  const list = useResource(['members', projectId], members.list);
  const cache = useResourceCache();
  const { go } = useNavigation();
  const [change, setChange] = useState<MemberChange | null>(null);
  const confirm = async ({ member: { userId }, role }: MemberChange): Promise<void> => {
    const isOwn = userId === ownId;
    if (role !== null) await members.setRole(userId, role);
    else await (isOwn ? members.leave() : members.remove(userId));
    if (isOwn && role === null) go('/projects', { replace: true });
    else await list.refresh();
    await cache.invalidate(['projects']);
  };
  const row = (member: ProjectMember) => (
    <MemberRow
      key={member.userId}
      projectId={projectId}
      member={member}
      isOwn={member.userId === ownId}
      onChange={setChange}
      history={
        <HistoryButton
          audit={audit}
          projectId={projectId}
          name={memberName(member)}
          filters={{ targetType: 'user', targetId: member.userId }}
        />
      }
    />
  );
  return (
    <Page title={t`Members`} lead={t`People who manage this project in the dashboard. They are not users of your app.`}>
      <Columns aside={<RolesCard projectId={projectId} />}>
        <Card title={t`Members`} labelId="members-title" flush>
          <Rows list={list} label={t`Loading members`} empty={t`No members`}>
            {row}
          </Rows>
        </Card>
        <InvitationsCard members={members} projectId={projectId} />
        {list.value && <TransferCard list={list.value} {...{ members, projects, previews, projectId, ownId }} />}
      </Columns>
      <MemberDialog change={change} ownId={ownId} onClose={() => setChange(null)} onConfirm={confirm} />
    </Page>
  );
}
