import type { Route } from '../../http/define-route.ts';
import {
  createOAuthAccountRoute,
  deleteOAuthAccountRoute,
  getOAuthAccountRoute,
  listOAuthAccountsRoute,
  updateOAuthAccountRoute,
} from './oauth-accounts.ts';

export const oauthAccountRoutes: readonly Route[] = [
  listOAuthAccountsRoute,
  createOAuthAccountRoute,
  getOAuthAccountRoute,
  updateOAuthAccountRoute,
  deleteOAuthAccountRoute,
];
