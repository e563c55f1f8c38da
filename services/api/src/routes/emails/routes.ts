import type { Route } from '../../http/define-route.ts';
import { listNotificationPreferencesRoute } from './notification-preferences.ts';
import { listSentEmailsRoute, listUndeliveredEmailsRoute, retryEmailRoute } from './sent-emails.ts';
import {
  getEmailTemplateRoute,
  listEmailTemplatesRoute,
  previewEmailRoute,
  resetEmailTemplateRoute,
  updateEmailTemplateRoute,
} from './templates.ts';
import { testEmailRoute } from './test-email.ts';

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
];
