import type { Route } from '../../http/define-route.ts';
import { exportUserRoute } from './export-user.ts';

export const exportRoutes: readonly Route[] = [exportUserRoute];
