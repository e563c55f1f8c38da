import { retryEmail } from '@gatebook/commands/email/email';
import { Success, uuid } from '@gatebook/contract/common';
import { SentEmailList, UndeliveredEmailList } from '@gatebook/contract/emails';
import { listEmailAttempts, listUndeliveredEmails } from '@gatebook/readmodel/emails/queries';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { toSentView, toUndeliveredView } from './wire.ts';

const tags = ['Emails'];
/** Newest of the project (protocol, projects §8). */
const shown = 100;

export const listSentEmailsRoute = defineRoute({
  method: 'GET',
  path: '/internal/emails',
  access: adminOnly,
  tags,
  summary: 'List recent email deliveries',
  description: 'Newest first, with the outcome of each attempt. Links and codes in subjects are shown as `***`.',
  response: { 200: SentEmailList },
  handle: async ({ deps, caller }) => {
    const rows = await listEmailAttempts(deps.db, caller.projectId, shown);
    return { items: rows.map(toSentView), is_paginated: false as const };
  },
});

export const listUndeliveredEmailsRoute = defineRoute({
  method: 'GET',
  path: '/internal/emails/undelivered',
  access: adminOnly,
  tags,
  summary: 'List undelivered emails',
  description:
    'Newest first, with the outcome of the last attempt. Emails whose codes have not expired can be retried.',
  response: { 200: UndeliveredEmailList },
  handle: async ({ deps, caller }) => {
    const rows = await listUndeliveredEmails(deps.db, caller.projectId, shown);
    return { items: rows.map(toUndeliveredView), is_paginated: false as const };
  },
});

export const retryEmailRoute = defineRoute({
  method: 'POST',
  path: '/internal/emails/:email_id/retry',
  access: adminOnly,
  role: 'support',
  errors: ['EMAIL_NOT_FOUND', 'EMAIL_NOT_RETRYABLE'],
  tags,
  summary: 'Retry an undelivered email',
  description: 'Only possible before the links and codes in the email expire.',
  params: z.strictObject({ email_id: uuid }),
  response: { 200: Success },
  handle: async ({ deps, context, params }) => {
    const { position } = await retryEmail(deps, context, { emailId: params.email_id });
    return answerSuccess(position);
  },
});
