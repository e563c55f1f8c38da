import { SessionListView, SessionsQuery } from '@gatebook/contract/sessions';
import { listSessions } from '@gatebook/readmodel/sessions/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf, mayActOn } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { toSessionView } from './wire.ts';

/** Live sessions, newest first; those of impersonation are shown to administrators alone (protocol, auth §9). */
export const listSessionsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/auth/sessions', {
      config: { replacesMe: true },
      schema: {
        tags: ['Sessions'],
        summary: 'List a user’s sessions',
        description:
          'Open ones, newest first. Client access sees its own; those of impersonation are shown to admin access alone.',
        querystring: SessionsQuery,
        response: { 200: SessionListView },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const userId = request.query.user_id;
        mayActOn(caller, userId);
        const withImpersonation = caller.accessType === 'admin';
        const sessions = await listSessions(deps.db, caller.projectId, userId, { withImpersonation });
        const current = caller.token?.sessionId ?? null;
        return { items: sessions.map((session) => toSessionView(session, current)), is_paginated: false as const };
      },
    });
  };
