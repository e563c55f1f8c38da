import { editEmail } from '@gatebook/commands/email/email';
import { uuid } from '@gatebook/contract/common';
import {
  DeliveryInfo,
  OutboxEmailList,
  OutboxEmailPatch,
  OutboxEmailView,
  OutboxQuery,
  OutboxStatus,
} from '@gatebook/contract/sending';
import { reject } from '@gatebook/domain/errors';
import { countDeliveries, findOutboxEmail, listOutboxEmails } from '@gatebook/readmodel/emails/outbox';
import { z } from 'zod';
import { serverAndUp } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { simpleStatuses, toOutboxView } from './outbox-wire.ts';

const tags = ['Emails'];
const params = z.strictObject({ email_id: uuid });
const usualLimit = 50;

async function findEmail({ db, now }: Deps, projectId: string, emailId: string): Promise<OutboxEmailView> {
  return toOutboxView(await findOutboxEmail(db, projectId, { emailId, at: now() }));
}

/** (protocol, projects §12.3) */
export const listOutboxRoute = defineRoute({
  method: 'GET',
  path: '/emails/outbox',
  access: serverAndUp,
  tags,
  summary: 'List emails in the outbox',
  description: 'Newest first: every email of the project, with its status and attempts, without its content.',
  query: OutboxQuery,
  response: { 200: OutboxEmailList },
  handle: async ({ deps, caller, query }) => {
    const { status, simple_status, cursor = null, limit = usualLimit } = query;
    const isWanted = (option: keyof typeof simpleStatuses) =>
      (status === undefined || option === status) &&
      (simple_status === undefined || simpleStatuses[option] === simple_status);
    const isFiltered = status !== undefined || simple_status !== undefined;
    const statuses = isFiltered ? OutboxStatus.options.filter(isWanted) : null;
    const page = { statuses, cursor, limit, at: deps.now() };
    const { items, nextCursor } = await listOutboxEmails(deps.db, caller.projectId, page);
    return { items: items.map(toOutboxView), is_paginated: true as const, pagination: { next_cursor: nextCursor } };
  },
});

export const getOutboxEmailRoute = defineRoute({
  method: 'GET',
  path: '/emails/outbox/:email_id',
  access: serverAndUp,
  errors: ['EMAIL_NOT_FOUND'],
  tags,
  summary: 'Get an email in the outbox',
  description: 'With its status and attempts, without its content.',
  params,
  response: { 200: OutboxEmailView },
  handle: async ({ deps, caller, params }) => findEmail(deps, caller.projectId, params.email_id),
});

export const updateOutboxEmailRoute = defineRoute({
  method: 'PATCH',
  path: '/emails/outbox/:email_id',
  bodySize: 'large',
  access: serverAndUp,
  errors: ['EMAIL_NOT_FOUND', 'EMAIL_NOT_EDITABLE', 'EMAIL_CONTENT_NOT_EDITABLE', 'EMAIL_SCHEDULED_TOO_LATE'],
  tags,
  summary: 'Update an email in the outbox',
  description:
    'Pauses, resumes, reschedules or cancels an email that has not been sent. Its content and recipient can’t be changed.',
  params,
  body: OutboxEmailPatch,
  response: { 200: OutboxEmailView },
  handle: async ({ deps, caller, context, params, body }) => {
    const { is_paused: isPaused, cancel: isCanceled = false, scheduled_at_millis: scheduledAt, ...content } = body;
    if (Object.values(content).some((value) => value !== undefined)) reject('EMAIL_CONTENT_NOT_EDITABLE');
    const { email_id: emailId } = params;
    const { position } = await editEmail(deps, context, {
      emailId,
      isPaused,
      isCanceled,
      scheduledAt: scheduledAt === undefined ? undefined : new Date(scheduledAt).toISOString(),
    });
    return { position, body: () => findEmail(deps, caller.projectId, emailId) };
  },
});

/** The limit of the worker for emails of servers, per hour and project. */
const mailingsPerHour = 1_000;

/** (protocol, projects §12.4) */
export const deliveryInfoRoute = defineRoute({
  method: 'GET',
  path: '/emails/delivery-info',
  access: serverAndUp,
  tags,
  summary: 'Get delivery statistics',
  description: 'Emails that mail servers accepted and rejected in the last hour, day, 7 days and 30 days.',
  response: { 200: DeliveryInfo },
  handle: async ({ deps, caller }) => {
    const { hour, day, week, month } = await countDeliveries(deps.db, caller.projectId, deps.now());
    const toView = (counts: { sent: number; bounced: number }) => ({ ...counts, marked_as_spam: 0 as const });
    return {
      stats: { hour: toView(hour), day: toView(day), week: toView(week), month: toView(month) },
      capacity: {
        rate_per_second: mailingsPerHour / 3_600,
        boost_multiplier: 1 as const,
        penalty_factor: 1 as const,
        is_boost_active: false as const,
        boost_expires_at: null,
      },
    };
  },
});
