import type { Route } from '../../http/define-route.ts';
import { authorizeRoute, continueAuthorizationRoute, pushAuthorizationRequestRoute } from './authorize.ts';
import { oauthCallbackRoute, oauthFormCallbackRoute } from './callback.ts';
import {
  connectedAccessTokenRoute,
  connectedAccountTokenRoute,
  listConnectedAccountsRoute,
  ownConnectedAccessTokenRoute,
} from './connected-accounts.ts';
import { crossDomainAuthorizeRoute } from './cross-domain.ts';

export const oauthRoutes: readonly Route[] = [
  authorizeRoute,
  pushAuthorizationRequestRoute,
  continueAuthorizationRoute,
  crossDomainAuthorizeRoute,
  oauthCallbackRoute,
  oauthFormCallbackRoute,
  listConnectedAccountsRoute,
  connectedAccessTokenRoute,
  connectedAccountTokenRoute,
  ownConnectedAccessTokenRoute,
];
