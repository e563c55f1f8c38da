import { reject } from '@gatebook/domain/errors';
import { defineQuery, type ReadDb } from '../read-db.ts';

export type ContactChannelRow = {
  id: string;
  userId: string;
  value: string | null;
  isPrimary: boolean;
  isVerified: boolean;
  usedForAuth: boolean;
};

const listQuery = defineQuery({
  name: 'list-contact-channels',
  sql: (schema: string) => `select c.id, c.user_id as "userId", c.value, c.is_primary as "isPrimary",
      c.is_verified as "isVerified", c.used_for_auth as "usedForAuth"
    from ${schema}.contact_channels c
    where c.project_id = $1 and ($2::uuid is null or c.user_id = $2) and ($3::uuid is null or c.id = $3)
    order by c.created_at, c.id limit $4`,
});

type Filter = { userId: string | null; channelId: string | null };

/** Channels of a project, oldest first, at most `limit`; filtered by user or channel if given. */
export function listContactChannels(
  db: ReadDb,
  projectId: string,
  { userId, channelId }: Filter,
  limit: number,
): Promise<ContactChannelRow[]> {
  return db.rows<ContactChannelRow>(listQuery, [projectId, userId, channelId, limit]);
}

/** @throws DomainError EMAIL_CHANNEL_NOT_FOUND, also for a channel of another user */
export async function findContactChannel(
  db: ReadDb,
  projectId: string,
  { userId, channelId }: { userId: string; channelId: string },
): Promise<ContactChannelRow> {
  const [row] = await listContactChannels(db, projectId, { userId, channelId }, 1);
  return row ?? reject('EMAIL_CHANNEL_NOT_FOUND');
}
