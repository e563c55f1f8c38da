import type { Route } from '../../http/define-route.ts';
import { auditChainRoute } from './chain.ts';
import { permissionExplanationRoute } from './permission-explanations.ts';
import { rejectionRoute } from './rejections.ts';

export const explanationRoutes: readonly Route[] = [permissionExplanationRoute, rejectionRoute, auditChainRoute];
