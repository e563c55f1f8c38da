import { uuid } from '@gatebook/contract/common';
import { ContactChannelList, ContactChannelsQuery, ContactChannelView } from '@gatebook/contract/contact-channels';
import { reject } from '@gatebook/domain/errors';
import { channelKeys, findContactChannel, listContactChannels } from '@gatebook/readmodel/users/channels';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp, mayActOn, ownUser } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { pageOf, toPagedList } from '../../http/list-pages.ts';
import { pathUserId, userIdOf } from '../path-user.ts';
import { toChannelView } from './wire.ts';

const tags = ['Contact channels'];

/** (protocol, resources §2.2) */
export const listContactChannelsRoute = defineRoute({
  method: 'GET',
  path: '/contact-channels',
  asOf: [],
  access: clientAndUp,
  replacesMe: true,
  errors: actOnUserErrors,
  tags,
  summary: 'List contact channels',
  description: 'Oldest first. Client access must send `user_id=me`. For servers, the user is optional.',
  query: ContactChannelsQuery,
  response: { 200: ContactChannelList },
  handle: async ({ deps, request, caller, query }) => {
    const { user_id: userId = null, contact_channel_id: channelId = null } = query;
    if (caller.accessType === 'client') {
      ownUser(caller);
      if (userId === null) reject('OTHER_USER_NOT_ALLOWED');
      mayActOn(caller, userId);
    }
    const page = pageOf(request, query, channelKeys);
    return toPagedList(
      query,
      await listContactChannels(deps.db, caller.projectId, { userId, channelId }, page),
      toChannelView,
    );
  },
});

export const getContactChannelRoute = defineRoute({
  method: 'GET',
  path: '/contact-channels/:user_id/:channel_id',
  asOf: [],
  access: clientAndUp,
  errors: [...actOnUserErrors, 'EMAIL_CHANNEL_NOT_FOUND'],
  tags,
  summary: 'Get a contact channel',
  description: 'Client access is limited to the signed-in user.',
  params: z.strictObject({ user_id: pathUserId, channel_id: uuid }),
  response: { 200: ContactChannelView },
  handle: async ({ deps, caller, params }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const channelId = params.channel_id;
    return toChannelView(await findContactChannel(deps.db, caller.projectId, { userId, channelId }));
  },
});
