import type { Route } from '../../http/define-route.ts';
import { deleteEndpointRoute, updateEndpointRoute } from './change-endpoint.ts';
import { createEndpointRoute } from './create-endpoint.ts';
import { webhookDeliveryRoutes } from './delivery-routes.ts';
import { getEndpointRoute, listEndpointsRoute } from './list-endpoints.ts';
import { webhooksTokenRoute } from './page-token.ts';
import { getSecretRoute, rotateSecretRoute } from './secret.ts';

export const webhookRoutes: readonly Route[] = [
  listEndpointsRoute,
  createEndpointRoute,
  getEndpointRoute,
  updateEndpointRoute,
  deleteEndpointRoute,
  getSecretRoute,
  rotateSecretRoute,
  webhooksTokenRoute,
  ...webhookDeliveryRoutes,
];
