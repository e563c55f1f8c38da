import type { Route } from '../../http/define-route.ts';
import { getActionRoute, undoActionRoute } from './action.ts';
import { previewRoute } from './preview.ts';

export const actionRoutes: readonly Route[] = [previewRoute, getActionRoute, undoActionRoute];
