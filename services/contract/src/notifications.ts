import type { NotificationCategory } from '@gatebook/domain/email/categories';
import { z } from 'zod';
import { flag, listOf, secret, textUpTo, uuid } from './common.ts';

type Category = { id: string; name: string };

/** IDs and names of the categories. They are fixed, because clients store the IDs. */
export const notificationCategories: Readonly<Record<NotificationCategory, Category>> = {
  transactional: { id: '520fa7df-d04b-4491-9d44-055227b09dce', name: 'Transactional' },
  marketing: { id: '68e1b115-a56e-4fb9-878e-03d93ca568da', name: 'Marketing' },
};

export const NotificationPreferenceView = z
  .object({
    notification_category_id: z.uuid(),
    notification_category_name: z.string(),
    enabled: z.boolean(),
    can_disable: z.boolean(),
  })
  .meta({ id: 'NotificationPreference' });
export type NotificationPreferenceView = z.infer<typeof NotificationPreferenceView>;
export const NotificationPreferenceList = listOf(NotificationPreferenceView).meta({ id: 'NotificationPreferenceList' });

/** In a path. */
export const notificationCategoryId = uuid;

export const NotificationPreferencePatch = z
  .strictObject({ enabled: flag })
  .meta({ id: 'NotificationPreferencePatch' });

export const UnsubscribeQuery = z.strictObject({ code: secret });
/** The form that mail clients send (RFC 8058 §3.2). Its only field says that the request is not a page view. */
export const UnsubscribeForm = z.strictObject({ 'List-Unsubscribe': textUpTo(64).optional() });
