import { z } from 'zod';
import { email, flag, pagedListOf, pageFields, signInEmail, textOf, url, userId, uuid } from './common.ts';

export const ContactChannelView = z
  .object({
    id: z.uuid(),
    user_id: z.uuid(),
    type: z.literal('email'),
    value: z.string(),
    is_primary: z.boolean(),
    is_verified: z.boolean(),
    used_for_auth: z.boolean(),
  })
  .meta({ id: 'ContactChannel' });
export type ContactChannelView = z.infer<typeof ContactChannelView>;
export const ContactChannelList = pagedListOf(ContactChannelView).meta({ id: 'ContactChannelList' });

export const ContactChannelsQuery = z.strictObject({
  user_id: userId.optional(),
  contact_channel_id: uuid.optional(),
  ...pageFields,
});

const type = textOf(z.literal('email'));
const ownFields = { user_id: userId, type, value: email, used_for_auth: flag, is_primary: flag.optional() };

export const OwnNewContactChannel = z
  .strictObject(ownFields)
  .meta({ id: 'OwnNewContactChannel', description: 'What a person may say of a channel of theirs.' });
export const NewContactChannel = z
  .strictObject({ ...ownFields, is_verified: flag.optional() })
  .meta({ id: 'NewContactChannel' });
export type NewContactChannel = z.infer<typeof NewContactChannel>;

const changes = {
  type: type.optional(),
  value: email.optional(),
  used_for_auth: flag.optional(),
  is_primary: flag.optional(),
};
export const OwnContactChannelPatch = z.strictObject(changes).meta({ id: 'OwnContactChannelPatch' });
export const ContactChannelPatch = z
  .strictObject({ ...changes, is_verified: flag.optional() })
  .meta({ id: 'ContactChannelPatch' });
export type ContactChannelPatch = z.infer<typeof ContactChannelPatch>;

export const SendVerificationCode = z.strictObject({ callback_url: url }).meta({ id: 'SendVerificationCode' });
export type SendVerificationCode = z.infer<typeof SendVerificationCode>;

export const SendPrimaryVerificationCode = z
  .strictObject({ email: signInEmail, callback_url: url })
  .meta({ id: 'SendPrimaryVerificationCode', description: 'The older form, for the primary address alone.' });
export type SendPrimaryVerificationCode = z.infer<typeof SendPrimaryVerificationCode>;
