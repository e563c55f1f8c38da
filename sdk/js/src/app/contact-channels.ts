import type { ContactChannelView } from '@gatebook/contract/contact-channels';
import type { Read } from './cache.ts';
import { fromWire, queryOf, toWire } from './fields.ts';
import { type Context, readList } from './reads.ts';

export type ContactChannelUpdateOptions = { value?: string; usedForAuth?: boolean; isPrimary?: boolean };
export type ContactChannelCreateOptions = { type: 'email'; value: string; usedForAuth: boolean; isPrimary?: boolean };
/** With server access. */
export type ServerContactChannelUpdateOptions = ContactChannelUpdateOptions & { isVerified?: boolean };
export type ServerContactChannelCreateOptions = ContactChannelCreateOptions & { isVerified?: boolean };

type ChannelWith<UpdateOptions> = {
  id: string;
  value: string;
  type: 'email';
  isPrimary: boolean;
  isVerified: boolean;
  usedForAuth: boolean;
  /** Outside a browser, pass the URL of the page that verifies addresses. */
  sendVerificationEmail(options?: { callbackUrl?: string }): Promise<void>;
  update(options: UpdateOptions): Promise<void>;
  delete(): Promise<void>;
};
export type ContactChannel = ChannelWith<ContactChannelUpdateOptions>;
export type ServerContactChannel = ChannelWith<ServerContactChannelUpdateOptions>;

/** The part of users that is about their email addresses. */
export type ContactChannelOwner<Channel, CreateOptions> = {
  /** Oldest first. */
  listContactChannels: Read<[], Channel[]>;
  createContactChannel(options: CreateOptions): Promise<Channel>;
};

const path = '/contact-channels';

/** `userId` can be `me`. */
export function contactChannelsOf(
  context: Context,
  userId: string,
): ContactChannelOwner<ServerContactChannel, ServerContactChannelCreateOptions> {
  const { send, cache, callbackUrl } = context;
  const refresh = () => cache.refresh(path, '/users');
  const toChannel = (view: ContactChannelView): ServerContactChannel => {
    const { userId: _, ...fields } = fromWire(view);
    const ownPath = `${path}/${userId}/${fields.id}`;
    return {
      ...fields,
      sendVerificationEmail: async (options) => {
        const callback_url = callbackUrl('emailVerification', options?.callbackUrl);
        await send('POST', `${ownPath}/send-verification-code`, { callback_url });
      },
      update: async (options) => {
        await send('PATCH', ownPath, toWire(options));
        await refresh();
      },
      delete: async () => {
        await send('DELETE', ownPath, {});
        await refresh();
      },
    };
  };
  return {
    listContactChannels: readList(context, () => `${path}${queryOf({ userId })}`, toChannel),
    createContactChannel: async (options) => {
      const channel = toChannel(await send<ContactChannelView>('POST', path, toWire({ ...options, userId })));
      await refresh();
      return channel;
    },
  };
}
