import { z } from 'zod';

/** What users can turn off and on. Transactional emails are part of using an account, so they can't be turned off. */
export const NotificationCategory = z.enum(['transactional', 'marketing']);
export type NotificationCategory = z.infer<typeof NotificationCategory>;

export const canDisable = (category: NotificationCategory): boolean => category === 'marketing';
