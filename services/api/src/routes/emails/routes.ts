import type { Route } from '../../http/define-route.ts';
import { listNotificationPreferencesRoute, updateNotificationPreferenceRoute } from './notification-preferences.ts';
import { listSentEmailsRoute, listUndeliveredEmailsRoute, retryEmailRoute } from './sent-emails.ts';
import {
  getEmailTemplateRoute,
  listEmailTemplatesRoute,
  previewEmailRoute,
  resetEmailTemplateRoute,
  updateEmailTemplateRoute,
} from './templates.ts';
import { testEmailRoute } from './test-email.ts';
import { showUnsubscribePageRoute, unsubscribeRoute } from './unsubscribe.ts';

export const emailRoutes: readonly Route[] = [
  listEmailTemplatesRoute,
  getEmailTemplateRoute,
  updateEmailTemplateRoute,
  resetEmailTemplateRoute,
  previewEmailRoute,
  listSentEmailsRoute,
  listUndeliveredEmailsRoute,
  retryEmailRoute,
  testEmailRoute,
  listNotificationPreferencesRoute,
  updateNotificationPreferenceRoute,
  showUnsubscribePageRoute,
  unsubscribeRoute,
];
