import { retryEmail } from '@gatebook/commands/email/email';
import { Success, uuid } from '@gatebook/contract/common';
import { EmailsQuery, SentEmailList, UndeliveredEmailList } from '@gatebook/contract/emails';
import {
  attemptKeys,
  listEmailAttempts,
  listUndeliveredEmails,
  undeliveredKeys,
} from '@gatebook/readmodel/emails/queries';
import type { Listed } from '@gatebook/readmodel/list-pages';
import { z } from 'zod';
import { adminOnly } from '../../access.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { toSentView, toUndeliveredView } from './wire.ts';

const tags = ['Emails'];
const usualPage = 100;
/** Without a page, the newest ones are the whole list (protocol, projects §8). */
const pageOfEmails = <Row, Item>(query: EmailsQuery, { rows, next }: Listed<Row>, toItem: (row: Row) => Item) => {
  const isPage = query.limit !== undefined || query.cursor !== undefined;
  return toPagedList(query, { rows, next: isPage ? next : null }, toItem);
};

export const listSentEmailsRoute = defineRoute({
  method: 'GET',
  path: '/internal/emails',
  access: adminOnly,
  tags,
  summary: 'List recent email deliveries',
  description:
    'Newest first, with the outcome of each attempt; without `limit` and `cursor`, the latest 100. Links and codes in subjects are shown as `***`.',
  query: EmailsQuery,
  response: { 200: SentEmailList },
  isTranslated: true,
  handle: async ({ deps, request, caller, query, language }) => {
    const page = pageOf(request, { limit: usualPage, ...query }, attemptKeys);
    const found = await listEmailAttempts(deps.db, caller.projectId, page);
    return pageOfEmails(query, found, (row) => toSentView(language, row));
  },
});

export const listUndeliveredEmailsRoute = defineRoute({
  method: 'GET',
  path: '/internal/emails/undelivered',
  access: adminOnly,
  tags,
  summary: 'List undelivered emails',
  description:
    'Newest first, with the outcome of the last attempt; without `limit` and `cursor`, the latest 100. Emails whose codes have not expired can be retried.',
  query: EmailsQuery,
  response: { 200: UndeliveredEmailList },
  isTranslated: true,
  handle: async ({ deps, request, caller, query, language }) => {
    const page = pageOf(request, { limit: usualPage, ...query }, undeliveredKeys);
    const found = await listUndeliveredEmails(deps.db, caller.projectId, page);
    return pageOfEmails(query, found, (row) => toUndeliveredView(language, row));
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
