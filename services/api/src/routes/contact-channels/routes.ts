import type { Route } from '../../http/define-route.ts';
import { getContactChannelRoute, listContactChannelsRoute } from './list-contact-channels.ts';
import { sendPrimaryVerificationCodeRoute, sendVerificationCodeRoute, verifyEmailRoute } from './verification.ts';
import {
  createContactChannelRoute,
  deleteContactChannelRoute,
  updateContactChannelRoute,
} from './write-contact-channels.ts';

export const contactChannelRoutes: readonly Route[] = [
  listContactChannelsRoute,
  createContactChannelRoute,
  getContactChannelRoute,
  updateContactChannelRoute,
  deleteContactChannelRoute,
  sendVerificationCodeRoute,
  sendPrimaryVerificationCodeRoute,
  verifyEmailRoute,
];
