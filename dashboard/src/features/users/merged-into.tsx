import type { AuditClient, AuditEvent, UsersClient } from '@gatebook/js/admin';
import { isKnownError } from '@gatebook/js/errors';
import { useResource } from '@gatebook/react';
import { Trans } from '@lingui/react/macro';
import { AppLink } from '../../components/app-link.tsx';
import { userName } from '../../lib/user-name.ts';

type Props = {
  /** The deletion of the user. */
  event: AuditEvent;
  audit: Pick<AuditClient, 'find'>;
  users: Pick<UsersClient, 'find'>;
  projectId: string;
};

/** Links a merged user to the user who stayed. Shows nothing for other deletions and while loading. */
export function MergedInto({ event, audit, users, projectId }: Props) {
  const found = useResource(['merged-into', projectId, event.id], async () => {
    const id = event.type === 'UserDeleted' ? (await audit.find(event.id)).data.mergedIntoId : null;
    return typeof id === 'string' ? { id, name: await nameOf(users, id) } : null;
  });
  if (!found.value) return null;
  const { id, name } = found.value;
  return (
    <>
      <Trans>
        Merged into <AppLink href={`/projects/${projectId}/users/${id}`}>{name}</AppLink>.
      </Trans>{' '}
    </>
  );
}

/** The user who stayed can be deleted by now. */
async function nameOf(users: Props['users'], id: string): Promise<string> {
  try {
    return userName(await users.find(id));
  } catch (error) {
    if (isKnownError(error, 'USER_NOT_FOUND')) return id;
    throw error;
  }
}
