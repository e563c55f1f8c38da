import type { Route } from '../../http/define-route.ts';
import { permissionExplanationRoute } from './permission-explanations.ts';

export const explanationRoutes: readonly Route[] = [permissionExplanationRoute];
