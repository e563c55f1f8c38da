import type { AuditClient, UsersClient } from '@gatebook/js/admin';
import { MissingObjectPage } from '../../components/missing-object-page.tsx';
import type { BackLink } from '../../components/page.tsx';
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
    <MissingObjectPage
      audit={audit}
      projectId={projectId}
      target={{ type: 'user', id: userId }}
      back={back}
      describe={(event) => <MergedInto event={event} audit={audit} users={users} projectId={projectId} />}
    />
  );
}
