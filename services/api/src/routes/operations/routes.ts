import type { Route } from '../../http/define-route.ts';
import { operationsRoute } from './operations.ts';
import { releaseQuarantinedProjectRoute } from './quarantines.ts';
import {
  askForRebuildRoute,
  compareProjectionVersionRoute,
  dropProjectionVersionRoute,
  promoteProjectionVersionRoute,
} from './rebuilds.ts';

export const operationsRoutes: readonly Route[] = [
  operationsRoute,
  askForRebuildRoute,
  compareProjectionVersionRoute,
  promoteProjectionVersionRoute,
  dropProjectionVersionRoute,
  releaseQuarantinedProjectRoute,
];
