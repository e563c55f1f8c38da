import { decideOnProject, findActiveProject } from '@gatebook/commands/project/project';
import { Success } from '@gatebook/contract/common';
import {
  IssuerTestBody,
  IssuerTestView,
  OpenIdProviderBody,
  OpenIdProviderList,
  OpenIdProviderPath,
  OpenIdProviderView,
} from '@gatebook/contract/openid-providers';
import { reject } from '@gatebook/domain/errors';
import { isOpenIdProvider } from '@gatebook/domain/project/openid-providers';
import { isAllowedTarget } from '@gatebook/runtime/outgoing/send-request';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, defineRoute } from '../../http/define-route.ts';
import { seesSecrets } from '../../roles.ts';
import { callbackUrlOf } from '../oauth/authorization-context.ts';

const path = '/internal/projects/current/openid-providers';
const tags = ['Projects'];

function requireAllowed({ config }: Deps, issuer: string): void {
  if (isAllowedTarget(issuer, config.outgoing.allowPrivate)) return;
  reject('SCHEMA_ERROR', { message: 'body.issuer must be an https URL of a public host' });
}

export const listOpenIdProvidersRoute = defineRoute({
  method: 'GET',
  path,
  access: adminOnly,
  tags,
  summary: 'List OpenID Connect providers',
  description:
    'The providers that were added to the project by their issuer, with their secrets for developers and owners.',
  response: { 200: OpenIdProviderList },
  handle: async ({ deps, caller }) => {
    const project = await findActiveProject(deps, caller.projectId);
    const items = (project?.config.oauthProviders ?? []).filter(isOpenIdProvider).map((provider) => ({
      id: provider.id,
      display_name: provider.displayName,
      issuer: provider.issuer,
      client_id: provider.clientId,
      client_secret: seesSecrets(caller) ? (project?.secrets.oauthClientSecrets[provider.id] ?? '') : '',
      callback_url: callbackUrlOf(deps, provider.id),
    }));
    return { items, is_paginated: false as const };
  },
});

export const putOpenIdProviderRoute = defineRoute({
  method: 'PUT',
  path: `${path}/:provider`,
  access: adminOnly,
  isPreviewable: true,
  errors: ['SCHEMA_ERROR'],
  tags,
  summary: 'Add or replace an OpenID Connect provider',
  description:
    'Users can sign in with any provider that supports OpenID Connect Discovery. Accounts belong to the provider ID: keep it only as long as the issuer’s users stay the same.',
  params: OpenIdProviderPath,
  body: OpenIdProviderBody,
  response: { 200: OpenIdProviderView },
  handle: async ({ deps, caller, context, params, body }) => {
    requireAllowed(deps, body.issuer);
    const { provider: id } = params;
    const { display_name: displayName, issuer, client_id: clientId, client_secret: clientSecret } = body;
    const provider = { id, issuer, clientId, displayName };
    const command = { type: 'SetOpenIdProvider', provider, clientSecret, at: deps.now() } as const;
    const { position } = await decideOnProject(deps, context, [command]);
    await deps.projects.forget(caller.projectId, position);
    const view = { id, ...body, callback_url: callbackUrlOf(deps, id) };
    return { position, body: async () => view, stale: () => view };
  },
});

export const deleteOpenIdProviderRoute = defineRoute({
  method: 'DELETE',
  path: `${path}/:provider`,
  access: adminOnly,
  isPreviewable: true,
  tags,
  summary: 'Remove an OpenID Connect provider',
  description: 'Accounts stay connected, and work again once a provider with the same ID is added.',
  params: OpenIdProviderPath,
  response: { 200: Success },
  handle: async ({ deps, caller, context, params }) => {
    const command = { type: 'RemoveOpenIdProvider', id: params.provider, at: deps.now() } as const;
    const { position } = await decideOnProject(deps, context, [command]);
    await deps.projects.forget(caller.projectId, position);
    return answerSuccess(position);
  },
});

export const testIssuerRoute = defineRoute({
  method: 'POST',
  path: `${path}/test`,
  access: adminOnly,
  limit: 'test-issuer',
  tags,
  summary: 'Test an OpenID Connect issuer',
  description: 'Reads its metadata and keys as a sign-in does. Says nothing about client ID and secret.',
  body: IssuerTestBody,
  response: { 200: IssuerTestView },
  handle: async ({ deps, body }) => {
    const fault = await deps.oauthProviders.testIssuer(body.issuer);
    const view = { is_usable: fault === null, reason: fault?.reason ?? null, detail: fault?.detail ?? null };
    return { position: null, body: view };
  },
});
