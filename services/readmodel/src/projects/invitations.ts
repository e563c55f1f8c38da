import type { HandoverRole, ProjectRole } from '@gatebook/domain/project/roles';
import { maxListed } from '../list-limits.ts';
import { defineQuery, type ReadDb } from '../read-db.ts';

/** Times are milliseconds since 1970. */
export type ProjectInvitationRow = {
  id: string;
  codeId: string;
  recipient: string;
  role: ProjectRole;
  /** What the sender becomes, for a transfer of the project. */
  senderRole: HandoverRole | null;
  issuedAt: number;
  expiresAt: number;
};

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
/** An invitation ends with the ownership of its sender, or with the key that sent it. */
const isOfOwner = (schema: string) => `(i.invited_by is null
    or exists (select from ${schema}.project_members m
      where m.project_id = i.project_id and m.user_id = i.invited_by and m.role = 'owner')
    or exists (select from ${schema}.project_owner_teams o join ${schema}.team_members m on m.team_id = o.team_id
      where o.project_id = i.project_id and m.user_id = i.invited_by)
    or exists (select from ${schema}.project_keys k
      where k.project_id = i.project_id and k.id = i.invited_by and k.revoked_at is null and k.expires_at > $2))`;
const open = (schema: string, condition: string) => `select i.id, i.code_id as "codeId", i.recipient, i.role,
      i.sender_role as "senderRole",
      ${millis('i.issued_at')} as "issuedAt", ${millis('i.expires_at')} as "expiresAt"
    from ${schema}.project_invitations i
    where i.project_id = $1 and i.expires_at > $2 and i.recipient is not null and ${isOfOwner(schema)} and ${condition}
    order by i.issued_at, i.id limit ${maxListed}`;
const listQuery = defineQuery({ name: 'list-project-invitations', sql: (schema) => open(schema, 'true') });
const findQuery = defineQuery({ name: 'find-project-invitation', sql: (schema) => open(schema, 'i.id = $3') });

/** Invitations that are open at an ISO time, oldest first. */
export const listProjectInvitations = (db: ReadDb, projectId: string, at: string): Promise<ProjectInvitationRow[]> =>
  db.rows<ProjectInvitationRow>(listQuery, [projectId, at]);

/** null if there is no such open invitation. */
export async function findProjectInvitation(
  db: ReadDb,
  projectId: string,
  { id, at }: { id: string; at: string },
): Promise<ProjectInvitationRow | null> {
  const [row] = await db.rows<ProjectInvitationRow>(findQuery, [projectId, at, id]);
  return row ?? null;
}
