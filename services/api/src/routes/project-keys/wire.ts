import type { ProjectKeyView } from '@gatebook/contract/project-keys';
import type { ProjectKeyRow } from '@gatebook/readmodel/projects/queries';

const tail = (lastFour: string | null) => (lastFour === null ? undefined : { last_four: lastFour });

export function toProjectKeyView(key: ProjectKeyRow): ProjectKeyView {
  const tails = {
    publishable_client_key: tail(key.publishableClientKeyLastFour),
    secret_server_key: tail(key.secretServerKeyLastFour),
    super_secret_admin_key: tail(key.superSecretAdminKeyLastFour),
  };
  return {
    id: key.id,
    description: key.description,
    created_at_millis: key.createdAt,
    expires_at_millis: key.expiresAt,
    ...(key.revokedAt === null ? {} : { manually_revoked_at_millis: key.revokedAt }),
    ...(key.lastUsedAt === null ? {} : { last_used_at_millis: key.lastUsedAt }),
    ...Object.fromEntries(Object.entries(tails).filter(([, value]) => value !== undefined)),
  };
}
