import type { NotificationCategory } from '@gatebook/domain/email/categories';
import type { AnyEmailType, EmailDropReason, EmailError, Sender, TemplateType } from '@gatebook/domain/email/events';
import { reject } from '@gatebook/domain/errors';
import { defineQuery, type ReadDb } from '../read-db.ts';

export type OutboxStatus =
  | 'paused'
  | 'preparing'
  | 'scheduled'
  | 'queued'
  | 'server-error'
  | 'bounced'
  | 'skipped'
  | 'sent';
export type OutboxAttempt = {
  at: number;
  recipient: string | null;
  subject: string | null;
  sender: Sender;
  error: EmailError | null;
};
/** Times in milliseconds since 1970. */
export type OutboxRow = {
  id: string;
  type: AnyEmailType;
  userId: string | null;
  status: OutboxStatus;
  /** Why the email was dropped. */
  reason: EmailDropReason | null;
  requestedAt: number;
  scheduledAt: number | null;
  changedAt: number;
  mailingId: string | null;
  category: NotificationCategory | null;
  templateType: TemplateType | null;
  mailingSubject: string | null;
  /** Oldest first. */
  attempts: OutboxAttempt[];
};

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** A mail server that rejects the recipient or the email for good: what a bounce is in SMTP. */
const bounces = `('REJECTED', 'INVALID_EMAIL_ADDRESS')`;

/** One row per email with its status. `$2`: the current time. */
const outbox = (schema: string, where: string) => `select e.id, e.type, e.user_id, e.requested_at, e.scheduled_at,
    e.changed_at, e.mailing_id, m.category, m.template_type, m.subject, a.attempts,
    case when e.state in ('dropped', 'orphaned') then coalesce(e.reason, 'user_gone') end as reason,
    case
      when e.state in ('paused', 'sent') then e.state
      when e.state in ('dropped', 'orphaned') then 'skipped'
      when e.state = 'dead' and a.attempts->-1->'error'->>'type' in ${bounces} then 'bounced'
      when e.state = 'dead' then 'server-error'
      when e.mailing_id is null and a.attempts is null then 'preparing'
      when e.scheduled_at > $2 then 'scheduled'
      else 'queued'
    end as status
  from ${schema}.emails e
  left join ${schema}.mailings m on m.id = e.mailing_id
  left join lateral (
    select json_agg(json_build_object('at', ${millis('t.at')}, 'recipient', t.recipient, 'subject', t.subject,
      'sender', t.sender, 'error', t.error) order by t.at) as attempts
    from ${schema}.email_attempts t where t.email_id = e.id
  ) a on true
  where e.project_id = $1 and ${where}`;

const columns = `o.id, o.type, o.user_id as "userId", o.status, o.reason, ${millis('o.requested_at')} as "requestedAt",
  ${millis('o.scheduled_at')} as "scheduledAt", ${millis('o.changed_at')} as "changedAt", o.mailing_id as "mailingId",
  o.category, o.template_type as "templateType", o.subject as "mailingSubject", coalesce(o.attempts, '[]') as attempts`;

const findQuery = defineQuery({
  name: 'find-outbox-email',
  sql: (schema: string) => `select ${columns} from (${outbox(schema, 'e.id = $3')}) o`,
});

/** @throws DomainError EMAIL_NOT_FOUND, also for an email of another project */
export async function findOutboxEmail(
  db: ReadDb,
  projectId: string,
  { emailId, at }: { emailId: string; at: string },
): Promise<OutboxRow> {
  const [row] = await db.rows<OutboxRow>(findQuery, [projectId, at, emailId]);
  return row ?? reject('EMAIL_NOT_FOUND');
}

const fromCursor = (schema: string) => `($3::uuid is null or (e.requested_at, e.id) <=
  (select c.requested_at, c.id from ${schema}.emails c where c.id = $3))`;

const listQuery = defineQuery({
  name: 'list-outbox-emails',
  sql: (schema: string) => `select ${columns} from (${outbox(schema, fromCursor(schema))}) o
    where $4::text[] is null or o.status = any($4)
    order by o.requested_at desc, o.id desc limit $5`,
});

type Page = { statuses: readonly OutboxStatus[] | null; cursor: string | null; limit: number; at: string };

/** Emails of a project, newest first. `cursor`: ID of the first one of the page. */
export async function listOutboxEmails(
  db: ReadDb,
  projectId: string,
  { statuses, cursor, limit, at }: Page,
): Promise<{ items: OutboxRow[]; nextCursor: string | null }> {
  const rows = await db.rows<OutboxRow>(listQuery, [projectId, at, cursor, statuses && [...statuses], limit + 1]);
  return { items: rows.slice(0, limit), nextCursor: rows[limit]?.id ?? null };
}

const windows = { hour: '1 hour', day: '1 day', week: '7 days', month: '30 days' } as const;
export type DeliveryWindow = keyof typeof windows;
export type DeliveryCounts = Readonly<Record<DeliveryWindow, { sent: number; bounced: number }>>;

const countsOf = (name: DeliveryWindow) => {
  const isRecent = `a.at > $2::timestamptz - interval '${windows[name]}'`;
  return `json_build_object('sent', count(*) filter (where ${isRecent} and a.error is null),
    'bounced', count(distinct a.email_id) filter (where ${isRecent} and a.error->>'type' in ${bounces})) as "${name}"`;
};

const deliveryQuery = defineQuery({
  name: 'count-deliveries',
  sql: (schema: string) => `select ${(Object.keys(windows) as DeliveryWindow[]).map(countsOf).join(', ')}
    from ${schema}.email_attempts a where a.project_id = $1 and a.at > $2::timestamptz - interval '30 days'
      and exists (select from ${schema}.emails e where e.id = a.email_id)`,
});

/** Emails that mail servers accepted and rejected in the time before `at`, without test emails. */
export async function countDeliveries(db: ReadDb, projectId: string, at: string): Promise<DeliveryCounts> {
  const [row] = await db.rows<DeliveryCounts>(deliveryQuery, [projectId, at]);
  const none = { sent: 0, bounced: 0 };
  return row ?? { hour: none, day: none, week: none, month: none };
}
