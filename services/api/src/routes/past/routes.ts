import type { Route } from '../../http/define-route.ts';
import { stateDiffRoute } from './state-diff.ts';

export const pastRoutes: readonly Route[] = [stateDiffRoute];
