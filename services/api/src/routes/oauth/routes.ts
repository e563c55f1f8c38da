import type { Route } from '../../http/define-route.ts';
import { authorizeRoute, continueAuthorizationRoute, pushAuthorizationRequestRoute } from './authorize.ts';
import { oauthCallbackRoute, oauthFormCallbackRoute } from './callback.ts';
import {
  connectedAccessTokenRoute,
  connectedAccountTokenRoute,
  listConnectedAccountsRoute,
  ownConnectedAccessTokenRoute,
} from './connected-accounts.ts';

export const oauthRoutes: readonly Route[] = [
  authorizeRoute,
  pushAuthorizationRequestRoute,
  continueAuthorizationRoute,
  oauthCallbackRoute,
  oauthFormCallbackRoute,
  listConnectedAccountsRoute,
  connectedAccessTokenRoute,
  connectedAccountTokenRoute,
  ownConnectedAccessTokenRoute,
];
