import type { SystemPermissionId } from '@gatebook/domain/permission/definition';
import type { PermissionDefinition } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

const systemDescriptions: Readonly<Record<SystemPermissionId, string>> = {
  $update_team: t`Change the name, image and metadata of the team`,
  $delete_team: t`Delete the team`,
  $read_members: t`See the members of the team`,
  $remove_members: t`Remove other members and revoke invitations`,
  $invite_members: t`Invite people to the team`,
  $manage_api_keys: t`Create and change the API keys of the team`,
};
const isSystemId = (id: string): id is SystemPermissionId => Object.hasOwn(systemDescriptions, id);

/** In the language of the dashboard for system permissions; owners describe all others. */
export const describePermission = ({ id, description }: Pick<PermissionDefinition, 'id' | 'description'>): string =>
  isSystemId(id) ? systemDescriptions[id] : description;
