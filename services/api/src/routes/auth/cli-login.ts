import { completeCliLogin, pollCliLogin, startCliLogin } from '@gatebook/commands/sign-in/cli-login';
import {
  CliLoginComplete,
  CliLoginPoll,
  CliLoginStart,
  CliLoginState,
  CliLoginSuccess,
  CliLoginView,
} from '@gatebook/contract/auth';
import { Success } from '@gatebook/contract/common';
import { reject } from '@gatebook/domain/errors';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { endSurplusSessions } from '../sessions/surplus-sessions.ts';

const tags = ['Command line'];
/** Two hours (protocol, auth §7). */
const defaultLifeMs = 7_200_000;

/** Protocol, auth §7. */
export const startCliLoginRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/cli', {
      config: { limitedAs: 'cli-login' },
      schema: {
        tags,
        summary: 'Ask to be let in from the command line',
        description: 'The terminal sends the person to a page with the login code, and polls with the polling code.',
        body: CliLoginStart.optional(),
        response: { 200: CliLoginView },
      },
      handler: async (request) => {
        const context = contextOf(request, { ...callerOf(request), user: null });
        const lifeMs = request.body?.expires_in_millis ?? defaultLifeMs;
        const { pollingCode, loginCode, expiresAt } = await startCliLogin(deps, context, { lifeMs });
        return { polling_code: pollingCode, login_code: loginCode, expires_at: expiresAt };
      },
    });
  };

/** The person at the browser shows by a refresh token who lets the command line in; it gets a session of its own. */
export const completeCliLoginRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/cli/complete', {
      config: { limitedAs: 'code' },
      schema: {
        tags,
        summary: 'Let the command line in',
        description:
          'By the page at the browser, whose refresh token says who it is. The terminal gets a session of its own.',
        body: CliLoginComplete,
        response: { 200: Success },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { login_code: loginCode, refresh_token: refreshToken } = request.body;
        const found = await findSessionByRefreshToken(deps.db, caller.projectId, sha256(refreshToken));
        if (!found) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
        if (found.session.impersonation) return reject('IMPERSONATION_NOT_ALLOWED');
        await completeCliLogin(deps, contextOf(request, caller), { loginCode, userId: found.user.id });
        return { success: true } as const;
      },
    });
  };

export const pollCliLoginRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/auth/cli/poll', {
      config: { limitedAs: 'cli-poll' },
      schema: {
        tags,
        summary: 'Ask whether somebody let the command line in',
        description: '201 tells the refresh token of the new session, once.',
        body: CliLoginPoll,
        response: { 200: CliLoginState, 201: CliLoginSuccess },
      },
      handler: async (request, reply) => {
        const context = contextOf(request, { ...callerOf(request), user: null });
        const polled = await pollCliLogin(deps, context, { pollingCode: request.body.polling_code });
        if (polled.status !== 'success') return reply.code(200).send({ status: polled.status });
        await waitFor(deps, reply, polled.position);
        const { projectId } = context;
        await endSurplusSessions(deps, reply, { projectId, userId: polled.userId });
        return reply.code(201).send({ status: 'success', refresh_token: polled.refreshToken });
      },
    });
  };
