import type { Route } from '../../http/define-route.ts';
import { keyRoutesOf } from './key-routes.ts';
import { listApiKeyUsesRoute } from './key-uses.ts';
import { revokeLeakedApiKeyRoute } from './leaked-key.ts';

export const apiKeyRoutes: readonly Route[] = [
  ...keyRoutesOf('user'),
  ...keyRoutesOf('team'),
  revokeLeakedApiKeyRoute,
  listApiKeyUsesRoute,
];
