import { reject } from '@gatebook/domain/errors';
import { definePagedQuery, type Listed, listPage, type Page, wholeList } from '../list-pages.ts';
import type { ReadDb } from '../read-db.ts';

export type ContactChannelRow = {
  id: string;
  userId: string;
  value: string | null;
  isPrimary: boolean;
  isVerified: boolean;
  usedForAuth: boolean;
};

const channelsQuery = (name: string, filter: string) =>
  definePagedQuery({
    name,
    sortedBy: { 'c.created_at': 'time', 'c.id': 'uuid' },
    values: 3,
    sql: (schema, page) => `select c.id, c.user_id as "userId", c.value, c.is_primary as "isPrimary",
      c.is_verified as "isVerified", c.used_for_auth as "usedForAuth", ${page.key}
    from ${schema}.contact_channels c where c.project_id = $1 and ${filter} and ${page.from} ${page.end}`,
  });
const ofProjectQuery = channelsQuery('list-contact-channels', '$2::uuid is null and ($3::uuid is null or c.id = $3)');
const ofUserQuery = channelsQuery('list-channels-of-user', 'c.user_id = $2 and ($3::uuid is null or c.id = $3)');
export const { forms: channelKeys } = ofProjectQuery;

type Filter = { userId: string | null; channelId: string | null };

/** Channels of a project, oldest first; filtered by user or channel if given. */
export function listContactChannels(
  db: ReadDb,
  projectId: string,
  { userId, channelId }: Filter,
  page: Page = wholeList,
): Promise<Listed<ContactChannelRow>> {
  return listPage<ContactChannelRow>(
    db,
    userId === null ? ofProjectQuery : ofUserQuery,
    [projectId, userId, channelId],
    page,
  );
}

/** @throws DomainError EMAIL_CHANNEL_NOT_FOUND, also for a channel of another user */
export async function findContactChannel(
  db: ReadDb,
  projectId: string,
  { userId, channelId }: { userId: string; channelId: string },
): Promise<ContactChannelRow> {
  const { rows } = await listContactChannels(db, projectId, { userId, channelId });
  return rows[0] ?? reject('EMAIL_CHANNEL_NOT_FOUND');
}
