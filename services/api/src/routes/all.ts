import type { Route } from '../http/define-route.ts';
import { actionRoutes } from './actions/routes.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { apiKeyRoutes } from './api-keys/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { auditExportRoutes } from './audit-exports/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { contactChannelRoutes } from './contact-channels/routes.ts';
import { customMetricsRoutes } from './custom-metrics/routes.ts';
import { emailRoutes } from './emails/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { explanationRoutes } from './explanations/routes.ts';
import { exportRoutes } from './export/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { historyRoutes } from './history/routes.ts';
import { importRoutes } from './imports/routes.ts';
import { metricsRoutes } from './metrics/routes.ts';
import { oauthRoutes } from './oauth/routes.ts';
import { oauthAccountRoutes } from './oauth-accounts/routes.ts';
import { operationsRoutes } from './operations/routes.ts';
import { pastRoutes } from './past/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import { permissionRoutes } from './permissions/routes.ts';
import { projectKeyRoutes } from './project-keys/routes.ts';
import { projectRoutes } from './projects/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { setupRoutes } from './setup/routes.ts';
import { teamRoutes } from './teams/routes.ts';
import { userBatchRoutes } from './user-batches/routes.ts';
import { userRoutes } from './users/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** Every route of the API, in the order of its description. */
export const routes: readonly Route[] = [
  ...healthRoutes,
  ...setupRoutes,
  ...authRoutes,
  ...contactChannelRoutes,
  ...oauthRoutes,
  ...oauthAccountRoutes,
  ...sessionRoutes,
  ...userRoutes,
  ...userBatchRoutes,
  ...exportRoutes,
  ...importRoutes,
  ...teamRoutes,
  ...permissionRoutes,
  ...apiKeyRoutes,
  ...projectRoutes,
  ...projectKeyRoutes,
  ...emailRoutes,
  ...paymentRoutes,
  ...analyticsRoutes,
  ...metricsRoutes,
  ...customMetricsRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  ...auditExportRoutes,
  ...historyRoutes,
  ...pastRoutes,
  ...explanationRoutes,
  ...actionRoutes,
  ...operationsRoutes,
];
