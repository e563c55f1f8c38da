import {
  acceptInvitation,
  inviteToTeam,
  readInvitation,
  revokeInvitation,
} from '@gatebook/commands/team/team-invitation';
import { CodeBody, CodeCheck } from '@gatebook/contract/auth';
import { Success, uuid } from '@gatebook/contract/common';
import {
  InvitationDetails,
  InvitationsQuery,
  InvitedToTeam,
  InviteToTeam,
  TeamInvitationList,
} from '@gatebook/contract/teams';
import { reject } from '@gatebook/domain/errors';
import { findTeam, listInvitations } from '@gatebook/readmodel/teams/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { waitFor } from '../../http/read-your-writes.ts';
import { quotaFor } from '../../quotas.ts';
import { actingMember, mayReadTeam } from './rights.ts';

const tags = ['Teams'];

export const inviteToTeamRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/team-invitations/send-code', {
      config: { limitedAs: 'invite' },
      schema: {
        tags,
        summary: 'Invite somebody to a team by mail',
        description: 'The link lasts seven days. Client access needs `$invite_members`.',
        body: InviteToTeam,
        response: { 200: InvitedToTeam },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const by = actingMember(caller, 'USER_AUTHENTICATION_REQUIRED');
        const { team_id: teamId, email, callback_url: callbackUrl } = request.body;
        const input = { teamId, email, callbackUrl, by, project: caller.project.project };
        const { invitationId, position } = await inviteToTeam(deps, contextOf(request, caller), input);
        await waitFor(deps, reply, position);
        return { success: true, id: invitationId } as const;
      },
    });
  };

export const listInvitationsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/team-invitations', {
      schema: {
        tags,
        summary: 'Open invitations of a team, oldest first',
        description: 'Client access needs `$read_members` and `$invite_members`.',
        querystring: InvitationsQuery,
        response: { 200: TeamInvitationList },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { team_id: teamId } = request.query;
        const rights = ['$read_members', '$invite_members'];
        await mayReadTeam(deps, caller, { teamId, rights, rejection: 'CANNOT_GET_OWN_USER_WITHOUT_USER' });
        await findTeam(deps.db, caller.projectId, teamId);
        const rows = await listInvitations(deps.db, caller.projectId, teamId, deps.now());
        const items = rows.map(({ id, recipient, expiresAt }) => {
          return { id, team_id: teamId, recipient_email: recipient, expires_at_millis: expiresAt };
        });
        return { items, is_paginated: false as const };
      },
    });
  };

export const revokeInvitationRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/team-invitations/:invitation_id', {
      schema: {
        tags,
        summary: 'Take an invitation back',
        description: 'Client access needs `$remove_members`.',
        params: z.strictObject({ invitation_id: uuid }),
        querystring: InvitationsQuery,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const by = actingMember(caller, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
        const { team_id: teamId } = request.query;
        const open = await listInvitations(deps.db, caller.projectId, teamId, deps.now());
        const codeId = open.find(({ id }) => id === request.params.invitation_id)?.codeId ?? null;
        const { position } = await revokeInvitation(deps, contextOf(request, caller), { teamId, codeId, by });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };

export const acceptInvitationRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/team-invitations/accept', {
      config: { limitedAs: 'code' },
      schema: {
        tags,
        summary: 'Join a team by invitation',
        description:
          'Whoever is signed in joins, whatever their address. A member stays as they are, and the code is used up.',
        body: CodeBody,
        response: { 200: z.object({}) },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const user = caller.user ?? reject('USER_AUTHENTICATION_REQUIRED');
        const limit = quotaFor(caller, 'membershipsPerUser');
        const input = { code: request.body.code, userId: user.id, project: caller.project.project, limit };
        const { position } = await acceptInvitation(deps, contextOf(request, caller), input);
        await waitFor(deps, reply, position);
        return {};
      },
    });
  };

export const checkInvitationRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/team-invitations/accept/check-code', {
      config: { limitedAs: 'code' },
      schema: {
        tags,
        summary: 'Whether an invitation is good',
        description: 'Uses nothing up, but counts as one of the twenty times that a code may be shown.',
        body: CodeBody,
        response: { 200: CodeCheck },
      },
      handler: async (request) => {
        await readInvitation(deps, contextOf(request, callerOf(request)), { code: request.body.code });
        return { is_code_valid: true } as const;
      },
    });
  };

export const invitationDetailsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/team-invitations/accept/details', {
      config: { limitedAs: 'code' },
      schema: {
        tags,
        summary: 'Which team an invitation leads to',
        description: 'For the page where somebody decides whether to join.',
        body: CodeBody,
        response: { 200: InvitationDetails },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        if (!caller.user) reject('USER_AUTHENTICATION_REQUIRED');
        const { team } = await readInvitation(deps, contextOf(request, caller), { code: request.body.code });
        return { team_id: team.teamId, team_display_name: team.displayName };
      },
    });
  };
