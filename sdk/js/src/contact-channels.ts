import type {
  ContactChannelPatch,
  ContactChannelView,
  NewContactChannel,
  SendVerificationCode,
} from '@gatebook/contract/contact-channels';
import type { Send } from './transport.ts';

export type ContactChannel = {
  id: string;
  userId: string;
  value: string;
  isPrimary: boolean;
  isVerified: boolean;
  usedForAuth: boolean;
};
export type ContactChannelChanges = { isPrimary?: boolean; isVerified?: boolean; usedForAuth?: boolean };

/** Email addresses of users; with client access only the user's own (`me`). */
export type ContactChannelsClient = {
  /** Oldest first. */
  list(userId: string): Promise<readonly ContactChannel[]>;
  create(userId: string, input: { value: string; usedForAuth: boolean }): Promise<ContactChannel>;
  update(channel: ContactChannel, changes: ContactChannelChanges): Promise<ContactChannel>;
  delete(channel: ContactChannel): Promise<void>;
  /** Emails a verification link. @throws KnownError EMAIL_ALREADY_VERIFIED, REDIRECT_URL_NOT_WHITELISTED */
  sendVerification(channel: ContactChannel, callbackUrl: string): Promise<void>;
};

export const contactChannelsClient = (send: Send): ContactChannelsClient => {
  const path = ({ userId, id }: ContactChannel) => `/contact-channels/${userId}/${id}`;
  return {
    list: async (userId) => {
      const query = new URLSearchParams({ user_id: userId });
      return (await send<{ items: ContactChannelView[] }>('GET', `/contact-channels?${query}`)).items.map(toChannel);
    },
    create: async (userId, { value, usedForAuth }) =>
      toChannel(
        await send<ContactChannelView>('POST', '/contact-channels', {
          user_id: userId,
          type: 'email',
          value,
          used_for_auth: usedForAuth,
        } satisfies NewContactChannel),
      ),
    update: async (channel, { isPrimary, isVerified, usedForAuth }) =>
      toChannel(
        await send<ContactChannelView>('PATCH', path(channel), {
          is_primary: isPrimary,
          is_verified: isVerified,
          used_for_auth: usedForAuth,
        } satisfies ContactChannelPatch),
      ),
    delete: async (channel) => {
      await send('DELETE', path(channel), {});
    },
    sendVerification: async (channel, callbackUrl) => {
      const body: SendVerificationCode = { callback_url: callbackUrl };
      await send('POST', `${path(channel)}/send-verification-code`, body);
    },
  };
};

function toChannel(view: ContactChannelView): ContactChannel {
  return {
    id: view.id,
    userId: view.user_id,
    value: view.value,
    isPrimary: view.is_primary,
    isVerified: view.is_verified,
    usedForAuth: view.used_for_auth,
  };
}
