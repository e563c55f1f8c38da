import { uuid } from '@gatebook/contract/common';
import { ContactChannelList, ContactChannelsQuery, ContactChannelView } from '@gatebook/contract/contact-channels';
import { reject } from '@gatebook/domain/errors';
import { maxListed } from '@gatebook/readmodel/list-limits';
import { findContactChannel, listContactChannels } from '@gatebook/readmodel/users/channels';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, mayActOn, ownUser } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { pathUserId, userIdOf } from '../path-user.ts';
import { toChannelView } from './wire.ts';

const tags = ['Contact channels'];

/** Protocol, resources §2.2. */
export const listContactChannelsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/contact-channels', {
      config: { replacesMe: true },
      schema: {
        tags,
        summary: 'List contact channels',
        description: 'Oldest first. Client access lists its own, `user_id=me`; servers may leave the user out.',
        querystring: ContactChannelsQuery,
        response: { 200: ContactChannelList },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const { user_id: userId = null, contact_channel_id: channelId = null } = request.query;
        if (caller.accessType === 'client') {
          ownUser(caller);
          if (userId === null) reject('ACTS_ON_ANOTHER_USER');
          mayActOn(caller, userId);
        }
        const rows = await listContactChannels(deps.db, caller.projectId, { userId, channelId }, maxListed);
        return { items: rows.map(toChannelView), is_paginated: false as const };
      },
    });
  };

export const getContactChannelRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/contact-channels/:user_id/:channel_id', {
      schema: {
        tags,
        summary: 'A contact channel',
        description: 'Client access sees its own.',
        params: z.strictObject({ user_id: pathUserId, channel_id: uuid }),
        response: { 200: ContactChannelView },
      },
      handler: async (request) => {
        const caller = callerOf(request);
        const userId = userIdOf(caller, request.params.user_id, 'ACTS_ON_ANOTHER_USER');
        const channelId = request.params.channel_id;
        return toChannelView(await findContactChannel(deps.db, caller.projectId, { userId, channelId }));
      },
    });
  };
