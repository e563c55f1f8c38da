import type { AuditClient, UsersClient } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconUserOff } from '@tabler/icons-react';
import { LinkButton } from '../../components/app-link.tsx';
import { DeletedObjectPage } from '../../components/deleted-object-page.tsx';
import { type BackLink, Page } from '../../components/page.tsx';
import { Card, EmptyNote } from '../../components/states.tsx';
import { MergedInto } from './merged-into.tsx';

type Props = {
  audit: AuditClient;
  users: Pick<UsersClient, 'find'>;
  projectId: string;
  userId: string;
  back: BackLink;
};

/** Instead of a user who is deleted, or never was. */
export function MissingUser({ audit, users, projectId, userId, back }: Props) {
  return (
    <DeletedObjectPage
      audit={audit}
      projectId={projectId}
      target={{ type: 'user', id: userId }}
      back={back}
      describe={(event) => <MergedInto event={event} audit={audit} users={users} projectId={projectId} />}
    >
      <Page title={t`User not found`} back={back}>
        <Card>
          <EmptyNote
            icon={<IconUserOff size={22} aria-hidden />}
            title={t`This user does not exist`}
            action={
              <LinkButton href={`/projects/${projectId}/users`}>
                <Trans>View users</Trans>
              </LinkButton>
            }
          >
            <Trans>The link may be incomplete.</Trans>
          </EmptyNote>
        </Card>
      </Page>
    </DeletedObjectPage>
  );
}
