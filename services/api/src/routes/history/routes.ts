import type { Route } from '../../http/define-route.ts';
import { userHistoryRoute } from './user-history.ts';

export const historyRoutes: readonly Route[] = [userHistoryRoute];
