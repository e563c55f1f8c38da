import { uuid } from '@gatebook/contract/common';
import { TeamList, TeamsQuery, TeamView } from '@gatebook/contract/teams';
import { reject } from '@gatebook/domain/errors';
import { findTeam, listTeams } from '@gatebook/readmodel/teams/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, ownUser } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { mayReadTeam } from './rights.ts';
import { toTeamView } from './wire.ts';

const tags = ['Teams'];
export const teamParams = z.strictObject({ team_id: uuid });

export const listTeamsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/teams', {
      config: { replacesMe: true },
      schema: {
        tags,
        summary: 'Teams, oldest first',
        description: 'Client access lists its own, `user_id=me`; servers may leave the user out.',
        querystring: TeamsQuery,
        response: { 200: TeamList },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { user_id: userId } = request.query;
        if (caller.accessType === 'client' && ownUser(caller).id !== userId) reject('ACTS_ON_ANOTHER_USER');
        const rows = await listTeams(deps.db, caller.projectId, userId ?? null);
        return { items: rows.map((row) => toTeamView(caller, row)), is_paginated: false as const };
      },
    });
  };

export const getTeamRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/teams/:team_id', {
      config: { replacesMe: true, isQueryIgnored: true },
      schema: {
        tags,
        summary: 'A team',
        description: 'Client access has to be a member.',
        params: teamParams,
        querystring: TeamsQuery,
        response: { 200: TeamView },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const teamId = request.params.team_id;
        await mayReadTeam(deps, caller, { teamId, rights: [], rejection: 'USER_AUTHENTICATION_REQUIRED' });
        return toTeamView(caller, await findTeam(deps.db, caller.projectId, teamId));
      },
    });
  };
