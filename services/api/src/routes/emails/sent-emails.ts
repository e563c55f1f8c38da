import { retryEmail } from '@gatebook/commands/email/email';
import { Success, uuid } from '@gatebook/contract/common';
import { SentEmailList, UndeliveredEmailList } from '@gatebook/contract/emails';
import { listEmailAttempts, listUndeliveredEmails } from '@gatebook/readmodel/emails/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { toSentView, toUndeliveredView } from './wire.ts';

const tags = ['E-mails'];
/** Newest of the project (protocol, projects §8). */
const shown = 100;

export const listSentEmailsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/emails', {
      schema: {
        tags,
        summary: 'The newest tries to send a mail',
        description: 'With what came of each. Links and codes in subjects are told as `***`.',
        response: { 200: SentEmailList },
      },
      handler: async (request) => {
        const rows = await listEmailAttempts(deps.db, callerOf(request).projectId, shown);
        return { items: rows.map(toSentView), is_paginated: false as const };
      },
    });
  };

export const listUndeliveredEmailsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/emails/undelivered', {
      schema: {
        tags,
        summary: 'Mails that were given up',
        description: 'Newest first, with what the last try came to. Those whose codes still live can be sent again.',
        response: { 200: UndeliveredEmailList },
      },
      handler: async (request) => {
        const rows = await listUndeliveredEmails(deps.db, callerOf(request).projectId, shown);
        return { items: rows.map(toUndeliveredView), is_paginated: false as const };
      },
    });
  };

export const retryEmailRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/internal/emails/:email_id/retry', {
      schema: {
        tags,
        summary: 'Send a mail that was given up once more',
        description: 'While what it leads to still lives.',
        params: z.strictObject({ email_id: uuid }),
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const context = contextOf(request, callerOf(request));
        const { position } = await retryEmail(deps, context, { emailId: request.params.email_id });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
