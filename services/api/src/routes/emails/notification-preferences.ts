import { NotificationPreferenceList } from '@gatebook/contract/emails';
import { findUser } from '@gatebook/readmodel/users/queries';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { pathUserId, userIdOf } from '../path-user.ts';

/** Fixed, because clients store the IDs (protocol, payments §3). */
const categories = [
  {
    notification_category_id: '520fa7df-d04b-4491-9d44-055227b09dce',
    notification_category_name: 'Transactional',
    enabled: true,
    can_disable: false,
  },
  {
    notification_category_id: '68e1b115-a56e-4fb9-878e-03d93ca568da',
    notification_category_name: 'Marketing',
    enabled: true,
    can_disable: true,
  },
];

export const listNotificationPreferencesRoute = defineRoute({
  method: 'GET',
  path: '/emails/notification-preference/:user_id',
  access: clientAndUp,
  errors: [...actOnUserErrors, 'USER_NOT_FOUND'],
  tags: ['Emails'],
  summary: 'List notification preferences',
  description: 'Categories of emails to a user. Client access is limited to the signed-in user.',
  params: z.strictObject({ user_id: pathUserId }),
  response: { 200: NotificationPreferenceList },
  handle: async ({ deps, caller, params }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    await findUser(deps.db, caller.projectId, userId);
    return { items: categories, is_paginated: false as const };
  },
});
