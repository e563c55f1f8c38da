import { importedId } from '@gatebook/api/import/prepare-user';
import { metadataField } from '@gatebook/api/import/source';
import { nameOf, text, type Values } from '@gatebook/api/import/values';
import { importMember, importTeam } from '@gatebook/commands/team/import-team';
import { isRecord } from '@gatebook/contract/import/row';
import { DomainError } from '@gatebook/domain/errors';
import type { ImportCounts, ImportJob } from './import-users-file.ts';
import { openRows } from './open-rows.ts';

/** As many as wait for the log together. In a dry run, each row must find what those before it would have written. */
const rowsAtOnce = 64;

type Outcome = 'created' | 'existing' | { reason: string; detail: string | null };

/** Imports teams: Clerk's and Auth0's organizations, Stack Auth's teams, or CSV with the same names. */
export const importTeamsFile = (job: ImportJob, file: string): Promise<ImportCounts> =>
  importEach(job, file, async (row) => {
    const sourceId = text(row.id) ?? text(row.org_id);
    const displayName = nameOf(row.display_name) ?? nameOf(row.name) ?? text(row.slug);
    if (sourceId === null || displayName === null) return invalid('The row has no id or no name.');
    if (displayName.length > 256) return invalid('The name is too long.');
    const branding = isRecord(row.branding) ? row.branding : {};
    const team = {
      teamId: importedId(job.target, 'team', sourceId),
      project: job.target.project,
      displayName,
      profileImageUrl: text(row.profile_image_url) ?? text(row.image_url) ?? text(branding.logo_url),
      ...teamMetadata(row),
    };
    const outcome = await importTeam(job.deps, job.newContext(), team, job.rehearsal);
    return outcome === 'taken' ? { reason: 'id_in_use', detail: sourceId } : outcome;
  });

/** Imports who is in which team. Teams and users come first. */
export const importMembersFile = (job: ImportJob, file: string): Promise<ImportCounts> =>
  importEach(job, file, async (row) => {
    const organization = isRecord(row.organization) ? row.organization : {};
    const person = isRecord(row.public_user_data) ? row.public_user_data : {};
    const teamId = text(row.team_id) ?? text(row.organization_id) ?? text(row.org_id) ?? text(organization.id);
    const userId = text(row.user_id) ?? text(person.user_id);
    if (teamId === null || userId === null) return invalid('The row has no team_id or no user_id.');
    const { target, deps, newContext, rehearsal } = job;
    const member = {
      teamId: importedId(target, 'team', teamId),
      userId: importedId(target, 'user', userId),
      isAdmin: rolesOf(row).some((role) => /(^|[:_-])(admin|owner)$/i.test(role)),
      project: target.project,
    };
    return importMember(deps, newContext(), member, rehearsal);
  });

const invalid = (detail: string) => ({ reason: 'invalid', detail });

function teamMetadata(row: Values) {
  const client = metadataField('clientMetadata', row.client_metadata);
  const readOnly = metadataField('clientReadOnlyMetadata', row.client_read_only_metadata ?? row.public_metadata);
  const server = metadataField('serverMetadata', row.server_metadata ?? row.private_metadata ?? row.metadata);
  return { ...client, ...readOnly, ...server };
}

/** Auth0 lists roles with names. */
function rolesOf({ role, roles }: Values): readonly string[] {
  const listed = Array.isArray(roles) ? roles.map((each) => (isRecord(each) ? text(each.name) : text(each))) : [];
  return [text(role), ...listed].filter((each) => each !== null);
}

async function importEach(
  { report, rehearsal, signal }: ImportJob,
  file: string,
  importRow: (row: Values) => Promise<Outcome>,
): Promise<ImportCounts> {
  const counts: ImportCounts = { rows: 0, created: 0, completed: 0, existing: 0, rejected: 0 };
  const running = new Set<Promise<void>>();
  const settle = async (line: number, id: string | null, outcome: Outcome) => {
    if (typeof outcome === 'string') counts[outcome] += 1;
    else {
      counts.rejected += 1;
      await report.add({ file, line, id, lost: 'row', ...outcome });
    }
  };
  for await (const row of openRows(file)) {
    if (signal.aborted) break;
    counts.rows += 1;
    const work =
      'error' in row
        ? settle(row.line, null, { reason: 'malformed', detail: row.error })
        : importRow(row.value)
            .catch(toReason)
            .then((outcome) => settle(row.line, text(row.value.id), outcome));
    const waiting: Promise<void> = work.finally(() => running.delete(waiting));
    running.add(waiting);
    if (running.size >= (rehearsal ? 1 : rowsAtOnce)) await Promise.race(running);
  }
  await Promise.all(running);
  return counts;
}

function toReason(error: unknown): Outcome {
  if (!(error instanceof DomainError)) throw error;
  return { reason: error.code.toLowerCase(), detail: null };
}
