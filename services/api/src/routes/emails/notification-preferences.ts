import { changeNotificationPreference } from '@gatebook/commands/email/notification-preferences';
import {
  NotificationPreferenceList,
  NotificationPreferencePatch,
  type NotificationPreferenceView,
  notificationCategories,
  notificationCategoryId,
  NotificationPreferenceView as PreferenceView,
} from '@gatebook/contract/notifications';
import { canDisable, NotificationCategory } from '@gatebook/domain/email/categories';
import { reject } from '@gatebook/domain/errors';
import { listDisabledCategories } from '@gatebook/readmodel/emails/notification-preferences';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { pathUserId, userIdOf } from '../path-user.ts';

const tags = ['Emails'];

/** (protocol, projects §12.2) */
export const listNotificationPreferencesRoute = defineRoute({
  method: 'GET',
  path: '/emails/notification-preference/:user_id',
  access: clientAndUp,
  errors: [...actOnUserErrors, 'USER_NOT_FOUND'],
  tags,
  summary: 'List notification preferences',
  description:
    'Every category of emails, and whether the user receives it. Client access is limited to the signed-in user.',
  params: z.strictObject({ user_id: pathUserId }),
  response: { 200: NotificationPreferenceList },
  handle: async ({ deps, caller, params }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const disabled = await listDisabledCategories(deps.db, caller.projectId, userId);
    const items = NotificationCategory.options.map((category) => toPreferenceView(category, !disabled.has(category)));
    return { items, is_paginated: false as const };
  },
});

export const updateNotificationPreferenceRoute = defineRoute({
  method: 'PATCH',
  path: '/emails/notification-preference/:user_id/:category_id',
  access: clientAndUp,
  isPreviewable: true,
  session: 'own',
  errors: [...actOnUserErrors, 'USER_NOT_FOUND', 'NOTIFICATION_CATEGORY_NOT_FOUND', 'NOTIFICATION_CATEGORY_REQUIRED'],
  tags,
  summary: 'Update a notification preference',
  description:
    'Turns a category of emails on or off for a user. Transactional emails can’t be turned off. Client access is limited to the signed-in user.',
  params: z.strictObject({ user_id: pathUserId, category_id: notificationCategoryId }),
  body: NotificationPreferencePatch,
  response: { 200: PreferenceView },
  handle: async ({ deps, caller, context, params, body }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const category = findCategory(params.category_id);
    const { enabled: isEnabled } = body;
    const { position } = await changeNotificationPreference(deps, context, { userId, category, isEnabled });
    return { position, body: toPreferenceView(category, isEnabled) };
  },
});

/** @throws DomainError NOTIFICATION_CATEGORY_NOT_FOUND */
function findCategory(id: string): NotificationCategory {
  const category = NotificationCategory.options.find((option) => notificationCategories[option].id === id);
  return category ?? reject('NOTIFICATION_CATEGORY_NOT_FOUND');
}

function toPreferenceView(category: NotificationCategory, enabled: boolean): NotificationPreferenceView {
  const { id, name } = notificationCategories[category];
  return {
    notification_category_id: id,
    notification_category_name: name,
    enabled,
    can_disable: canDisable(category),
  };
}
