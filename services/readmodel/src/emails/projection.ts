import type { EmailEvent } from '@gatebook/domain/email/events';
import type { TemplateVersion } from '@gatebook/domain/email/template-versions';
import type { Recorded } from '@gatebook/domain/event';
import type { MailingEvent } from '@gatebook/domain/mailing/events';
import type { ProjectEvent } from '@gatebook/domain/project/events';
import type { ReservationEvent } from '@gatebook/domain/reservation/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import {
  type Change,
  insert,
  type Projection,
  patch,
  type Row,
  remove,
  type Value,
} from '@gatebook/projections/changes';

type Tried = Recorded<Extract<EmailEvent, { type: 'EmailSent' | 'EmailFailed' }>>;

type Changed = Readonly<{ emailId: string; at: string }>;
const change = ({ emailId, at }: Changed, values: Row): Change =>
  patch('emails', { id: emailId }, { ...values, changed_at: at });

/** An erased error must not become null, which means that the server accepted the email. */
const erasedError = { type: 'UNKNOWN', message: '', canRetry: false, rawError: '' };

function attempt({ id, data }: Tried, error: Value): Change {
  const { emailId, projectId, userId, addressRef, to, subject, sender, at } = data;
  const whose = { email_id: emailId, project_id: projectId, user_id: userId, address_ref: addressRef };
  return insert('email_attempts', { id, ...whose, recipient: to, subject, sender, error, at });
}

const templateKey = ({ projectId, templateType, language }: TemplateVersion & { projectId: string }) => ({
  project_id: projectId,
  type: templateType,
  language: language ?? '',
});

/** An email that can still be sent still has its key: keep the row, without the user, until the email is dropped. */
const orphaned = (whose: Row): readonly Change[] =>
  ['pending', 'paused', 'dead'].map((state) =>
    patch('emails', { ...whose, state }, { user_id: null, state: 'orphaned' }),
  );

export const emailsProjection: Projection<EmailEvent | MailingEvent | UserEvent | ReservationEvent | ProjectEvent> = {
  EmailRequested: ({ id, data }) => [
    insert('emails', {
      id: data.emailId,
      project_id: data.projectId,
      user_id: data.userId,
      address_ref: data.addressRef,
      type: data.emailType,
      mailing_id: data.mailingId,
      state: 'pending',
      job_id: id,
      requested_at: data.at,
      scheduled_at: data.scheduledAt,
      changed_at: data.at,
      expires_at: data.expiresAt,
    }),
  ],
  EmailSent: (event) => [change(event.data, { state: 'sent' }), attempt(event, null)],
  EmailFailed: (event) => [
    change(event.data, { state: event.data.isFinal ? 'dead' : 'pending' }),
    attempt(event, event.data.error ?? erasedError),
  ],
  EmailRetried: ({ id, data }) => [change(data, { state: 'pending', job_id: id })],
  EmailPaused: ({ data }) => [change(data, { state: 'paused' })],
  EmailResumed: ({ id, data }) => [change(data, { state: 'pending', job_id: id })],
  EmailRescheduled: ({ id, data }) => [change(data, { scheduled_at: data.scheduledAt, job_id: id })],
  EmailDropped: ({ data }) => [change(data, { state: 'dropped', reason: data.reason })],
  MailingRequested: ({ id, data: { mailingId, projectId, category, templateType, content, at } }) => [
    insert('mailings', {
      id: mailingId,
      project_id: projectId,
      category,
      template_type: templateType,
      subject: content?.subject ?? null,
      job_id: id,
      requested_at: at,
    }),
  ],
  MailingEmailsRequested: ({ data }) => [patch('mailings', { id: data.mailingId }, { is_complete: data.isComplete })],
  MailingClosed: ({ data }) => [patch('mailings', { id: data.mailingId }, { is_closed: true, subject: null })],
  NotificationPreferenceChanged: ({ data: { userId, projectId, category, isEnabled } }) => [
    insert('notification_preferences', { user_id: userId, project_id: projectId, category, is_enabled: isEnabled }),
  ],
  UserDeleted: ({ data: { userId } }) => [
    remove('notification_preferences', { user_id: userId }),
    ...orphaned({ user_id: userId }),
    remove('emails', { user_id: userId }),
    remove('email_attempts', { user_id: userId }),
  ],
  UserErased: ({ data }) => [remove('email_attempts', { user_id: data.userId })],
  AddressErased: ({ data: { addressRef } }) => [
    ...orphaned({ address_ref: addressRef }),
    remove('email_attempts', { address_ref: addressRef }),
  ],
  EmailTemplateChanged: ({ data }) => [
    insert('email_templates', { ...templateKey(data), subject: data.subject, content: data.content }),
  ],
  EmailTemplateReset: ({ data }) => [remove('email_templates', templateKey(data))],
};
