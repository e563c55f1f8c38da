import type { Route } from '../../http/define-route.ts';
import { emailDesignRoutes } from './designs.ts';
import { listNotificationPreferencesRoute, updateNotificationPreferenceRoute } from './notification-preferences.ts';
import { deliveryInfoRoute, getOutboxEmailRoute, listOutboxRoute, updateOutboxEmailRoute } from './outbox.ts';
import { sendEmailRoute } from './send-email.ts';
import { listSentEmailsRoute, listUndeliveredEmailsRoute, retryEmailRoute } from './sent-emails.ts';
import { sendSignInInvitationRoute } from './sign-in-invitation.ts';
import { templateVersionRoutes } from './template-versions.ts';
import {
  getEmailTemplateRoute,
  listEmailTemplatesRoute,
  previewEmailRoute,
  replaceEmailTemplateRoute,
  resetEmailTemplateRoute,
  updateEmailTemplateRoute,
} from './templates.ts';
import { testEmailRoute } from './test-email.ts';
import { testTemplateRoute } from './test-template.ts';
import { showUnsubscribePageRoute, unsubscribeRoute } from './unsubscribe.ts';

export const emailRoutes: readonly Route[] = [
  listEmailTemplatesRoute,
  getEmailTemplateRoute,
  updateEmailTemplateRoute,
  resetEmailTemplateRoute,
  previewEmailRoute,
  replaceEmailTemplateRoute,
  testTemplateRoute,
  ...templateVersionRoutes,
  listSentEmailsRoute,
  listUndeliveredEmailsRoute,
  retryEmailRoute,
  testEmailRoute,
  listNotificationPreferencesRoute,
  updateNotificationPreferenceRoute,
  sendEmailRoute,
  listOutboxRoute,
  getOutboxEmailRoute,
  updateOutboxEmailRoute,
  deliveryInfoRoute,
  showUnsubscribePageRoute,
  unsubscribeRoute,
  sendSignInInvitationRoute,
  ...emailDesignRoutes,
];
