import type { DeletedItemsClient, DeletedProject } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { DeletedPage } from '../../components/deleted-page.tsx';

type Props = { client: DeletedItemsClient<DeletedProject> };

/** Projects that their owners can restore until their grace period ends. */
export function DeletedProjectsPage({ client }: Props) {
  return (
    <DeletedPage
      kind="project"
      lead={t`They can be restored until their data is erased, with users, teams, sessions and keys.`}
      setting={t`Deleted projects appear here if they had a grace period. Set it in the settings of a project.`}
      client={client}
      back={{ href: '/projects', label: t`Projects` }}
      scope="owner"
      describe={({ id, displayName }) => ({ name: displayName || id, note: id })}
      changes={[['projects']]}
    />
  );
}
