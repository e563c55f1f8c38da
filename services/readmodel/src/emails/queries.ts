import type { AnyEmailType, EmailError, Sender, TemplateType } from '@gatebook/domain/email/events';
import type { Language } from '@gatebook/domain/email/languages';
import type { TemplateVersion } from '@gatebook/domain/email/template-versions';
import { definePagedQuery, type Listed, listPage, type Page } from '../list-pages.ts';
import { defineCrossProjectQuery, defineQuery, type ReadDb } from '../read-db.ts';

export type EmailAttemptRow = {
  id: string;
  recipient: string | null;
  subject: string | null;
  sender: Sender;
  /** Null if the server accepted the email. */
  error: EmailError | null;
  /** Milliseconds since 1970, like every time of a row. */
  at: number;
};
export type UndeliveredEmailRow = {
  id: string;
  type: AnyEmailType;
  recipient: string | null;
  subject: string | null;
  /** Null without an attempt. */
  sender: Sender | null;
  error: EmailError | null;
  requestedAt: number;
  expiresAt: number;
};
export type EmailTemplateRow = { type: TemplateType; subject: string | null; content: unknown };
/** `language` is null for the default version. */
export type TemplateVersionRow = EmailTemplateRow & { language: Language | null };

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const attemptColumns = `a.id, a.recipient, a.subject, a.sender, a.error, ${millis('a.at')} as at`;

/** The email of a deleted user is hidden, also from an attempt that comes later. */
const listAttemptsQuery = definePagedQuery({
  name: 'list-email-attempts',
  sortedBy: { 'a.at': 'time', 'a.id': 'uuid' },
  isDescending: true,
  values: 1,
  sql: (schema, page) => `select ${attemptColumns}, ${page.key} from ${schema}.email_attempts a
    where a.project_id = $1 and (a.user_id is null or exists (select from ${schema}.emails e where e.id = a.email_id))
      and ${page.from} ${page.end}`,
});
export const { forms: attemptKeys } = listAttemptsQuery;

/** Attempts to send emails of a project, newest first. */
export const listEmailAttempts = (db: ReadDb, projectId: string, page: Page): Promise<Listed<EmailAttemptRow>> =>
  listPage(db, listAttemptsQuery, [projectId], page);

const undeliveredQuery = definePagedQuery({
  name: 'list-undelivered-emails',
  sortedBy: { 'e.requested_at': 'time', 'e.id': 'uuid' },
  isDescending: true,
  values: 1,
  sql: (schema, page) => `select ${page.key}, e.id, e.type, a.recipient, a.subject, a.sender, a.error,
      ${millis('e.requested_at')} as "requestedAt", ${millis('e.expires_at')} as "expiresAt"
    from ${schema}.emails e left join lateral (
      select * from ${schema}.email_attempts a where a.email_id = e.id order by a.at desc limit 1
    ) a on true
    where e.project_id = $1 and e.state = 'dead' and ${page.from} ${page.end}`,
});
export const { forms: undeliveredKeys } = undeliveredQuery;

/** Emails that were given up, with the result of the last attempt, newest first. */
export const listUndeliveredEmails = (
  db: ReadDb,
  projectId: string,
  page: Page,
): Promise<Listed<UndeliveredEmailRow>> => listPage(db, undeliveredQuery, [projectId], page);

const pendingQuery = defineCrossProjectQuery({
  name: 'list-pending-emails',
  sql: (
    schema: string,
  ) => `select e.id, e.job_id as "jobId", e.requested_at::text as "requestedAt" from ${schema}.emails e
    where e.state = 'pending' and e.requested_at < $1 and coalesce(e.scheduled_at, e.requested_at) < $1
      and (e.mailing_id is not null) = $3 and e.requested_at >= $4::timestamptz
      and (e.requested_at, e.id) > ($4::timestamptz, $5::uuid)
    order by e.requested_at, e.id limit $2`,
});

/** `requestedAt`: a Postgres timestamp. */
export type PendingEmailRow = { id: string; jobId: string; requestedAt: string };
type PendingPlace = Pick<PendingEmailRow, 'id' | 'requestedAt'>;
const beforePending: PendingPlace = { id: '00000000-0000-0000-0000-000000000000', requestedAt: '-infinity' };

/**
 * Pending emails of all projects that were due before an ISO time, oldest first, from after `after`: of mailings, or
 * all others.
 */
export function listPendingEmails(
  db: ReadDb,
  before: string,
  {
    after = beforePending,
    limit,
    ofMailings,
  }: { after?: PendingPlace | undefined; limit: number; ofMailings: boolean },
): Promise<PendingEmailRow[]> {
  const values = [before, limit, ofMailings, after.requestedAt, after.id];
  return db.rowsOfAllProjects<PendingEmailRow>(pendingQuery, values);
}

const endedQuery = defineCrossProjectQuery({
  name: 'list-ended-emails',
  sql: (schema: string) => `select e.id, e.project_id as "projectId", e.expires_at::text as "expiresAt",
      case e.state when 'orphaned' then 'user_gone' else 'expired' end as reason
    from ${schema}.emails e
    where e.state in ('dead', 'paused', 'orphaned') and (e.state = 'orphaned' or e.expires_at <= $1)
      and (e.expires_at, e.id) > ($2::timestamptz, $3::uuid)
    order by e.expires_at, e.id limit $4`,
});

/** `expiresAt`: a Postgres timestamp. */
export type EndedEmailRow = { id: string; projectId: string; expiresAt: string; reason: 'user_gone' | 'expired' };
type EndedEmailPlace = Pick<EndedEmailRow, 'id' | 'expiresAt'>;
const beforeAll: EndedEmailPlace = { id: '00000000-0000-0000-0000-000000000000', expiresAt: '-infinity' };

/**
 * Emails that can no longer be sent at an ISO time and are still to be dropped, with the reason, in the order in which
 * they expire, from after `after`.
 */
export function listEndedEmails(
  db: ReadDb,
  at: string,
  { after = beforeAll, limit }: { after?: EndedEmailPlace | undefined; limit: number },
): Promise<EndedEmailRow[]> {
  return db.rowsOfAllProjects<EndedEmailRow>(endedQuery, [at, after.expiresAt, after.id, limit]);
}

const toUserQuery = defineQuery({
  name: 'list-emails-to-user',
  sql: (schema: string) => `select ${attemptColumns}, e.type from ${schema}.email_attempts a
    left join ${schema}.emails e on e.id = a.email_id
    where a.project_id = $1 and a.user_id = $2 order by a.at desc, a.id`,
});

/** Every attempt to send an email to a user, newest first. */
export function listEmailsTo(
  db: ReadDb,
  projectId: string,
  userId: string,
): Promise<(EmailAttemptRow & { type: AnyEmailType | null })[]> {
  return db.rows<EmailAttemptRow & { type: AnyEmailType | null }>(toUserQuery, [projectId, userId]);
}

const templatesQuery = defineQuery({
  name: 'list-email-templates',
  sql: (schema: string) =>
    `select t.type, t.subject, t.content from ${schema}.email_templates t where t.project_id = $1 and t.language = ''`,
});

/** The default versions of the project's own templates, unsorted. Types that are missing use Gatebook's template. */
export function listEmailTemplates(db: ReadDb, projectId: string): Promise<EmailTemplateRow[]> {
  return db.rows<EmailTemplateRow>(templatesQuery, [projectId]);
}

const versionQuery = defineQuery({
  name: 'find-email-template-version',
  sql: (schema: string) => `select t.type, nullif(t.language, '') as language, t.subject, t.content
    from ${schema}.email_templates t where t.project_id = $1 and t.type = $2 and t.language = any($3)`,
});

/** The versions of a template that the project edited, of those in question: one for the language, and the default. */
export function findTemplateVersions(
  db: ReadDb,
  projectId: string,
  type: TemplateType,
  languages: readonly (Language | null)[],
): Promise<TemplateVersionRow[]> {
  const tags = languages.map((language) => language ?? '');
  return db.rows<TemplateVersionRow>(versionQuery, [projectId, type, tags]);
}

const editedQuery = defineQuery({
  name: 'list-edited-template-versions',
  sql: (schema: string) => `select t.type as "templateType", nullif(t.language, '') as language
    from ${schema}.email_templates t where t.project_id = $1`,
});

/** Which versions of templates the project edited, unsorted. */
export function listEditedVersions(db: ReadDb, projectId: string): Promise<TemplateVersion[]> {
  return db.rows<TemplateVersion>(editedQuery, [projectId]);
}
