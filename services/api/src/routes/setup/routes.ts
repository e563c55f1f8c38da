import type { Route } from '../../http/define-route.ts';
import { checkSetupRoute } from './check-setup.ts';
import { dashboardConfigRoute } from './dashboard-config.ts';
import { completeSetupRoute } from './setup.ts';

export const setupRoutes: readonly Route[] = [dashboardConfigRoute, checkSetupRoute, completeSetupRoute];
