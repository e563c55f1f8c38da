import { definePagedQuery, type Listed, listPage, type Page, wholeList } from '../list-pages.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';

export type InvitationRow = {
  id: string;
  codeId: string;
  teamId: string;
  teamDisplayName: string;
  recipient: string;
  expiresAt: number;
};

/** Invitations of project $1 that are not used, revoked or expired at $3. */
const openInvitations = (schema: string, condition: string, more = '') =>
  `select i.id, i.code_id as "codeId", i.team_id as "teamId", t.display_name as "teamDisplayName", i.recipient,
      (extract(epoch from i.expires_at) * 1000)::float8 as "expiresAt" ${more}
    from ${schema}.team_invitations i join ${schema}.teams t on t.id = i.team_id
    where ${condition} and t.project_id = $1 and i.expires_at > $3 and i.recipient is not null`;

const listQuery = (name: string, condition: string) =>
  definePagedQuery({
    name: `list-${name}`,
    sortedBy: { 'i.issued_at': 'time', 'i.id': 'uuid' },
    values: 3,
    sql: (schema, page) => `${openInvitations(schema, condition, `, ${page.key}`)} and ${page.from} ${page.end}`,
  });
const ofTeamQuery = listQuery('team-invitations', 'i.team_id = $2');
const receivedQuery = listQuery('received-invitations', 'i.address_ref = any($2)');
export const { forms: invitationKeys } = ofTeamQuery;

/** Invitations of a team that are open at an ISO time, oldest first. */
export function listInvitations(
  db: ReadDb,
  projectId: string,
  { teamId, at }: { teamId: string; at: string },
  page: Page = wholeList,
): Promise<Listed<InvitationRow>> {
  return listPage<InvitationRow>(db, ofTeamQuery, [projectId, teamId, at], page);
}

/** Open invitations to the addresses with these keyed hashes, oldest first. */
export function listReceivedInvitations(
  db: ReadDb,
  projectId: string,
  { addressRefs, at }: { addressRefs: readonly string[]; at: string },
  page: Page = wholeList,
): Promise<Listed<InvitationRow>> {
  return listPage<InvitationRow>(db, receivedQuery, [projectId, addressRefs, at], page);
}

const byIdQuery = defineQuery({
  name: 'find-open-invitation',
  sql: (schema: string) => openInvitations(schema, 'i.id = $2'),
});

/** null if there is no such open invitation. */
export async function findOpenInvitation(
  db: ReadDb,
  projectId: string,
  { id, at }: { id: string; at: string },
): Promise<InvitationRow | null> {
  const [row] = await db.rows<InvitationRow>(byIdQuery, [projectId, id, at]);
  return row ?? null;
}
