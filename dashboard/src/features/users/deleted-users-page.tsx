import type { DeletedUser, UsersClient } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { DeletedPage } from '../../components/deleted-page.tsx';
import { userName, userSubtitle } from '../../lib/user-name.ts';

type Props = { users: UsersClient; projectId: string; projectName: string | undefined };

/** Users who can be restored until their grace period ends. */
export function DeletedUsersPage({ users, projectId, projectName }: Props) {
  return (
    <DeletedPage
      kind="user"
      lead={t`They can be restored until their personal data is erased. Sessions stay ended and API keys stay revoked.`}
      setting={t`Deleted users appear here if the project has a grace period. Set it in the project’s settings.`}
      settingHref={`/projects/${projectId}/settings/security#retention-title`}
      client={users}
      back={{ href: `/projects/${projectId}/users`, label: t`Users` }}
      scope={projectId}
      projectName={projectName}
      describe={describe}
      changes={[
        ['users', projectId],
        ['metrics', projectId],
      ]}
    />
  );
}

function describe(user: DeletedUser) {
  const shown = { ...user, isAnonymous: false };
  return { name: userName(shown), note: user.deletedByUser ? t`Deleted their account` : userSubtitle(shown) };
}
