import { addContactChannel, changeContactChannel, removeContactChannel } from '@gatebook/commands/user/contact-channel';
import { Success, uuid } from '@gatebook/contract/common';
import {
  ContactChannelPatch,
  ContactChannelView,
  NewContactChannel,
  OwnContactChannelPatch,
  OwnNewContactChannel,
} from '@gatebook/contract/contact-channels';
import { reject } from '@gatebook/domain/errors';
import type { Channel } from '@gatebook/domain/user/state';
import { findContactChannel } from '@gatebook/readmodel/users/channels';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { callerOf, mayActOn } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite, waitFor } from '../../http/read-your-writes.ts';
import { quotaFor } from '../../quotas.ts';
import { pathUserId, userIdOf } from '../path-user.ts';
import { decidedChannel, toChannelView } from './wire.ts';

const tags = ['Contact channels'];
const params = z.strictObject({ user_id: pathUserId, channel_id: uuid });
type Changed = { projectId: string; userId: string; channel: Channel; position: bigint | null };

async function answerChannel(
  deps: Deps,
  reply: FastifyReply,
  { projectId, userId, channel, position }: Changed,
): Promise<ContactChannelView> {
  const row = await afterWrite(
    deps,
    reply,
    position,
    () => findContactChannel(deps.db, projectId, { userId, channelId: channel.id }),
    () => decidedChannel(userId, channel),
  );
  return toChannelView(row);
}

/** Protocol, resources §2.3. */
export const createContactChannelRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.post('/contact-channels', {
      config: { replacesMe: true, bodyFor: { client: OwnNewContactChannel } },
      schema: {
        tags,
        summary: 'Add a contact channel',
        description:
          'Client access adds to its own user, and holds at most three unverified addresses. Only servers may say that an address is verified.',
        body: NewContactChannel,
        response: { 201: ContactChannelView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { user_id: userId, value, used_for_auth, is_primary, is_verified } = request.body;
        mayActOn(caller, userId);
        const flags = { usedForAuth: used_for_auth, isPrimary: is_primary ?? false, isVerified: is_verified ?? false };
        const limits = { limit: quotaFor(caller, 'contactChannelsPerUser'), isLimited: caller.accessType === 'client' };
        const added = await addContactChannel(deps, contextOf(request, caller), { userId, value, ...flags, ...limits });
        const view = await answerChannel(deps, reply, { projectId: caller.projectId, userId, ...added });
        return reply.code(201).send(view);
      },
    });
  };

/** Protocol, resources §2.4. */
export const updateContactChannelRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.patch('/contact-channels/:user_id/:channel_id', {
      config: { bodyFor: { client: OwnContactChannelPatch } },
      schema: {
        tags,
        summary: 'Change a contact channel',
        description:
          'What is left out stays. An address that is given is unverified from then on, unless a server says otherwise.',
        params,
        body: ContactChannelPatch,
        response: { 200: ContactChannelView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const userId = userIdOf(caller, request.params.user_id, 'ACTS_ON_ANOTHER_USER');
        const channelId = request.params.channel_id;
        const { value, used_for_auth: usedForAuth, is_primary: isPrimary, is_verified: isVerified } = request.body;
        const isLimited = caller.accessType === 'client';
        const change = { userId, channelId, value, usedForAuth, isPrimary, isVerified, isLimited };
        const { channel, position } = await changeContactChannel(deps, contextOf(request, caller), change);
        if (!channel) return reject('CONTACT_CHANNEL_UNKNOWN');
        return answerChannel(deps, reply, { projectId: caller.projectId, userId, channel, position });
      },
    });
  };

export const deleteContactChannelRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.delete('/contact-channels/:user_id/:channel_id', {
      schema: {
        tags,
        summary: 'Remove a contact channel',
        description: 'Primary ones and those used for sign-in too: password and codes stay with the user.',
        params,
        response: { 200: Success },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const userId = userIdOf(caller, request.params.user_id, 'ACTS_ON_ANOTHER_USER');
        const channelId = request.params.channel_id;
        const { position } = await removeContactChannel(deps, contextOf(request, caller), { userId, channelId });
        await waitFor(deps, reply, position);
        return { success: true } as const;
      },
    });
  };
