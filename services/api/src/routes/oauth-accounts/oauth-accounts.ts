import { addOAuthAccount, changeOAuthAccount, removeOAuthAccount } from '@gatebook/commands/oauth/oauth-accounts';
import { Success, uuid } from '@gatebook/contract/common';
import {
  NewOAuthAccount,
  OAuthAccountList,
  OAuthAccountPatch,
  OAuthAccountsQuery,
  OAuthAccountView,
  OwnOAuthAccountPatch,
} from '@gatebook/contract/oauth';
import { reject } from '@gatebook/domain/errors';
import { maxListed } from '@gatebook/readmodel/list-limits';
import { findOAuthAccount, listOAuthAccounts } from '@gatebook/readmodel/users/oauth-accounts';
import { z } from 'zod';
import { actOnUserErrors, clientAndUp, mayActOn, ownUser, serverAndUp } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { pathUserId, userIdOf } from '../path-user.ts';
import { toOAuthAccountView } from './wire.ts';

const tags = ['OAuth'];
const params = z.strictObject({ user_id: pathUserId, oauth_account_id: uuid });

/** A server acts on its own authority; a person must keep a way to sign in (protocol, resources §9.2). */
const keepsSignIn = ({ accessType }: Caller) => accessType === 'client';

/** (protocol, resources §9.2) */
export const listOAuthAccountsRoute = defineRoute({
  method: 'GET',
  path: '/oauth-providers',
  access: clientAndUp,
  replacesMe: true,
  errors: actOnUserErrors,
  tags,
  summary: 'List accounts at OAuth providers',
  description: 'In the order of linking. Client access must send `user_id=me`. For servers, the user is optional.',
  query: OAuthAccountsQuery,
  response: { 200: OAuthAccountList },
  handle: async ({ deps, caller, query }) => {
    const { user_id: userId = null } = query;
    if (caller.accessType === 'client') {
      ownUser(caller);
      if (userId === null) reject('OTHER_USER_NOT_ALLOWED');
      mayActOn(caller, userId);
    }
    const rows = await listOAuthAccounts(deps.db, caller.projectId, { userId }, maxListed);
    return { items: rows.map((row) => toOAuthAccountView(caller, row)), is_paginated: false as const };
  },
});

export const createOAuthAccountRoute = defineRoute({
  method: 'POST',
  path: '/oauth-providers',
  access: serverAndUp,
  role: 'developer',
  isPreviewable: true,
  replacesMe: true,
  errors: [
    'CANNOT_GET_OWN_USER_WITHOUT_USER',
    'USER_NOT_FOUND',
    'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED',
    'OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN',
  ],
  tags,
  summary: 'Add an account at an OAuth provider to a user',
  description: 'An account at a provider belongs to one user of the project at most.',
  body: NewOAuthAccount,
  response: { 201: OAuthAccountView },
  handle: async ({ deps, caller, context, body }) => {
    const { user_id: userId, provider_config_id, account_id: accountId, email = null } = body;
    const uses = { allowSignIn: body.allow_sign_in, allowConnectedAccounts: body.allow_connected_accounts };
    const account = { provider: provider_config_id.toLowerCase(), accountId, email, ...uses };
    const { project, projectId } = caller;
    const { id, position } = await addOAuthAccount(deps, context, { userId, project, ...account });
    return {
      position,
      body: async () => toOAuthAccountView(caller, await findOAuthAccount(deps.db, projectId, { userId, id })),
      stale: () => toOAuthAccountView(caller, { id, userId, ...account }),
    };
  },
});

export const getOAuthAccountRoute = defineRoute({
  method: 'GET',
  path: '/oauth-providers/:user_id/:oauth_account_id',
  access: clientAndUp,
  errors: [...actOnUserErrors, 'OAUTH_ACCOUNT_NOT_FOUND'],
  tags,
  summary: 'Get an account at an OAuth provider',
  description: 'Client access is limited to the signed-in user.',
  params,
  response: { 200: OAuthAccountView },
  handle: async ({ deps, caller, params }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const account = { userId, id: params.oauth_account_id };
    return toOAuthAccountView(caller, await findOAuthAccount(deps.db, caller.projectId, account));
  },
});

export const updateOAuthAccountRoute = defineRoute({
  method: 'PATCH',
  path: '/oauth-providers/:user_id/:oauth_account_id',
  access: clientAndUp,
  role: 'developer',
  isPreviewable: true,
  session: 'recent',
  bodyFor: { client: OwnOAuthAccountPatch },
  errors: [
    ...actOnUserErrors,
    'USER_NOT_FOUND',
    'OAUTH_ACCOUNT_NOT_FOUND',
    'OAUTH_PROVIDER_ACCOUNT_ID_ALREADY_USED_FOR_SIGN_IN',
    'LAST_SIGN_IN_METHOD',
  ],
  tags,
  summary: 'Update an account at an OAuth provider',
  description:
    'Omitted fields are unchanged. Client access changes what the account can be used for, and can’t switch off the last way to sign in.',
  params,
  body: OAuthAccountPatch,
  response: { 200: OAuthAccountView },
  handle: async ({ deps, caller, context, params, body }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const id = params.oauth_account_id;
    const { account_id: accountId, email, allow_sign_in, allow_connected_accounts } = body;
    const uses = { allowSignIn: allow_sign_in, allowConnectedAccounts: allow_connected_accounts };
    const change = { userId, id, accountId, email, ...uses, keepsSignIn: keepsSignIn(caller) };
    const { account, position } = await changeOAuthAccount(deps, context, change);
    return {
      position,
      body: async () => toOAuthAccountView(caller, await findOAuthAccount(deps.db, caller.projectId, { userId, id })),
      stale: () => toOAuthAccountView(caller, { ...account, userId }),
    };
  },
});

export const deleteOAuthAccountRoute = defineRoute({
  method: 'DELETE',
  path: '/oauth-providers/:user_id/:oauth_account_id',
  access: clientAndUp,
  isPreviewable: true,
  session: 'recent',
  errors: [...actOnUserErrors, 'USER_NOT_FOUND', 'OAUTH_ACCOUNT_NOT_FOUND', 'LAST_SIGN_IN_METHOD'],
  tags,
  summary: 'Disconnect an account at an OAuth provider',
  description:
    'Discards its tokens; the account is free to be connected again. Client access can’t remove the last way to sign in.',
  params,
  response: { 200: Success },
  handle: async ({ deps, caller, context, params }) => {
    const userId = userIdOf(caller, params.user_id, 'OTHER_USER_NOT_ALLOWED');
    const account = { userId, id: params.oauth_account_id, keepsSignIn: keepsSignIn(caller) };
    const { position } = await removeOAuthAccount(deps, context, account);
    return answerSuccess(position);
  },
});
