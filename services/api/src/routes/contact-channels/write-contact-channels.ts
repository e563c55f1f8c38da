import { addContactChannel, changeContactChannel, removeContactChannel } from '@gatebook/commands/user/contact-channel';
import { Success, uuid } from '@gatebook/contract/common';
import {
  ContactChannelPatch,
  ContactChannelView,
  NewContactChannel,
  OwnContactChannelPatch,
  OwnNewContactChannel,
} from '@gatebook/contract/contact-channels';
import { type DomainErrorCode, reject } from '@gatebook/domain/errors';
import type { Channel } from '@gatebook/domain/user/state';
import { findContactChannel } from '@gatebook/readmodel/users/channels';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp, mayActOn } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute, type Written } from '../../http/define-route.ts';
import { quotaFor } from '../../quotas.ts';
import { pathUserId, userIdOf } from '../path-user.ts';
import { decidedChannel, toChannelView } from './wire.ts';

const tags = ['Contact channels'];
const params = z.strictObject({ user_id: pathUserId, channel_id: uuid });
type Changed = { projectId: string; userId: string; channel: Channel; position: bigint | null };

function answerChannel(deps: Deps, { projectId, userId, channel, position }: Changed): Written<ContactChannelView> {
  return {
    position,
    body: async () => toChannelView(await findContactChannel(deps.db, projectId, { userId, channelId: channel.id })),
    stale: () => toChannelView(decidedChannel(userId, channel)),
  };
}

const takenAddressErrors: readonly DomainErrorCode[] = [
  'CONTACT_CHANNEL_EXISTS',
  'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
];

/** (protocol, resources §2.3) */
export const createContactChannelRoute = defineRoute({
  method: 'POST',
  path: '/contact-channels',
  access: clientAndUp,
  role: 'developer',
  isPreviewable: true,
  session: 'recent',
  replacesMe: true,
  bodyFor: { client: OwnNewContactChannel },
  errors: [
    ...actOnUserErrors,
    'USER_NOT_FOUND',
    'UNVERIFIED_EMAIL_LIMIT_REACHED',
    ...takenAddressErrors,
    'QUOTA_EXCEEDED',
  ],
  tags,
  summary: 'Add a contact channel',
  description:
    'Client access adds to the signed-in user, who can have at most three unverified addresses. Only servers can mark an address as verified.',
  body: NewContactChannel,
  response: { 201: ContactChannelView },
  handle: async ({ deps, caller, context, body }) => {
    const { user_id: userId, value, used_for_auth, is_primary, is_verified } = body;
    mayActOn(caller, userId);
    const flags = { usedForAuth: used_for_auth, isPrimary: is_primary ?? false, isVerified: is_verified ?? false };
    const limits = { limit: quotaFor(caller, 'contactChannelsPerUser'), isLimited: caller.accessType === 'client' };
    const added = await addContactChannel(deps, context, { userId, value, ...flags, ...limits });
    return answerChannel(deps, { projectId: caller.projectId, userId, ...added });
  },
});

/** (protocol, resources §2.4) */
export const updateContactChannelRoute = defineRoute({
  method: 'PATCH',
  path: '/contact-channels/:user_id/:channel_id',
  access: clientAndUp,
  role: { least: 'support', fields: { value: 'developer', used_for_auth: 'developer', is_primary: 'developer' } },
  isPreviewable: true,
  session: 'recent',
  bodyFor: { client: OwnContactChannelPatch },
  errors: [...actOnUserErrors, 'CONTACT_CHANNEL_NOT_FOUND', 'UNVERIFIED_EMAIL_LIMIT_REACHED', ...takenAddressErrors],
  tags,
  summary: 'Update a contact channel',
  description:
    'Omitted fields are unchanged. A changed address becomes unverified, unless a server marks it as verified.',
  params,
  body: ContactChannelPatch,
  response: { 200: ContactChannelView },
  handle: async ({ deps, caller, context, params, body }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const channelId = params.channel_id;
    const { value, used_for_auth: usedForAuth, is_primary: isPrimary, is_verified: isVerified } = body;
    const isLimited = caller.accessType === 'client';
    const change = { userId, channelId, value, usedForAuth, isPrimary, isVerified, isLimited };
    const { channel, position } = await changeContactChannel(deps, context, change);
    if (!channel) return reject('CONTACT_CHANNEL_NOT_FOUND');
    return answerChannel(deps, { projectId: caller.projectId, userId, channel, position });
  },
});

export const deleteContactChannelRoute = defineRoute({
  method: 'DELETE',
  path: '/contact-channels/:user_id/:channel_id',
  access: clientAndUp,
  isPreviewable: true,
  session: 'recent',
  errors: [...actOnUserErrors, 'CONTACT_CHANNEL_NOT_FOUND'],
  tags,
  summary: 'Delete a contact channel',
  description: 'Also deletes primary channels and channels used for sign-in. The user keeps the password.',
  params,
  response: { 200: Success },
  handle: async ({ deps, caller, context, params }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const channelId = params.channel_id;
    const { position } = await removeContactChannel(deps, context, { userId, channelId });
    return answerSuccess(position);
  },
});
