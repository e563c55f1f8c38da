import { notificationCategories } from '@gatebook/contract/notifications';
import type { OutboxEmailView, OutboxSimpleStatus } from '@gatebook/contract/sending';
import { templateIds } from '@gatebook/contract/template-ids';
import type { EmailDropReason } from '@gatebook/domain/email/events';
import type { OutboxAttempt, OutboxRow, OutboxStatus } from '@gatebook/readmodel/emails/outbox';
import { hideSharedServer } from './wire.ts';

/** In the order of the protocol. */
export const simpleStatuses: Readonly<Record<OutboxStatus, OutboxSimpleStatus>> = {
  paused: 'in-progress',
  preparing: 'in-progress',
  scheduled: 'in-progress',
  queued: 'in-progress',
  'server-error': 'error',
  bounced: 'error',
  skipped: 'ok',
  sent: 'ok',
};

const skippedReasons: Readonly<Record<EmailDropReason, string>> = {
  recipient_limit: 'RECIPIENT_LIMIT_REACHED',
  user_gone: 'USER_ACCOUNT_DELETED',
  expired: 'EXPIRED',
  no_email_address: 'USER_HAS_NO_PRIMARY_EMAIL',
  unsubscribed: 'USER_UNSUBSCRIBED',
  canceled: 'MANUALLY_CANCELLED',
};

/** (protocol, projects §12.3) */
export function toOutboxView(stored: OutboxRow): OutboxEmailView {
  const attempts = stored.attempts.map((one) => ({ ...one, error: hideSharedServer(one.error, one.sender) }));
  const row = { ...stored, attempts };
  const { id, status, requestedAt, changedAt } = row;
  const failures = attempts.filter(({ error }) => error !== null);
  return {
    id,
    created_at_millis: requestedAt,
    updated_at_millis: changedAt,
    tsx_source: '',
    theme_id: null,
    to: toRecipient(row),
    variables: {},
    skip_deliverability_check: false,
    scheduled_at_millis: row.scheduledAt ?? requestedAt,
    created_with: 'programmatic-call',
    email_draft_id: null,
    email_programmatic_call_template_id: findTemplateId(row),
    send_retries: Math.max(0, attempts.length - 1),
    next_send_retry_at_millis: null,
    send_attempt_errors: failures.length === 0 ? null : failures.map(toAttemptError),
    status,
    simple_status: simpleStatuses[status],
    is_paused: status === 'paused',
    has_rendered: false,
    has_delivered: status === 'sent',
    ...renderedFields(row),
    ...outcomeFields(row),
  };
}

const findTemplateId = ({ type, templateType }: OutboxRow) =>
  templateIds[(templateType ?? type) as keyof typeof templateIds] ?? null;

function toRecipient({ type, userId, attempts }: OutboxRow): OutboxEmailView['to'] {
  const emails = [...new Set(attempts.flatMap(({ recipient }) => (recipient === null ? [] : [recipient])))];
  if (userId === null) return { type: 'custom-emails', emails };
  if (type === 'mailing') return { type: 'user-primary-email', user_id: userId };
  return { type: 'user-custom-emails', user_id: userId, emails };
}

function toAttemptError({ at, error }: OutboxAttempt, index: number) {
  const { type = 'UNKNOWN', message = '', canRetry = false, rawError = '' } = error ?? {};
  return {
    attempt_number: index + 1,
    timestamp: new Date(at).toISOString(),
    external_message: message,
    external_details: { error_type: type },
    internal_message: rawError,
    internal_details: { can_retry: canRetry },
  };
}

/** Gatebook renders an email when it sends it. The content of a mailing is fixed when it is requested. */
function renderedFields(row: OutboxRow): Partial<OutboxEmailView> {
  const { status, requestedAt, changedAt, mailingSubject, mailingId, attempts } = row;
  const [first] = attempts;
  if (status === 'paused' || status === 'preparing' || (status === 'skipped' && first === undefined)) return {};
  const category = row.category ?? 'transactional';
  const isWaiting = status === 'scheduled' || status === 'queued';
  return {
    has_rendered: true,
    started_rendering_at_millis: first?.at ?? requestedAt,
    rendered_at_millis: first?.at ?? requestedAt,
    subject: attempts.at(-1)?.subject ?? mailingSubject ?? '',
    html: null,
    text: null,
    is_transactional: category === 'transactional',
    is_high_priority: mailingId === null,
    notification_category_id: notificationCategories[category].id,
    ...(isWaiting ? {} : { started_sending_at_millis: first?.at ?? changedAt }),
  };
}

function outcomeFields({ status, changedAt, reason, attempts }: OutboxRow): Partial<OutboxEmailView> {
  switch (status) {
    case 'sent':
      return { delivered_at_millis: changedAt, can_have_delivery_info: false };
    case 'server-error':
      return { error_at_millis: changedAt, server_error: attempts.at(-1)?.error?.message ?? '' };
    case 'bounced':
      return { bounced_at_millis: changedAt };
    case 'skipped':
      return {
        skipped_at_millis: changedAt,
        skipped_reason: skippedReasons[reason ?? 'user_gone'],
        skipped_details: {},
      };
    default:
      return {};
  }
}
