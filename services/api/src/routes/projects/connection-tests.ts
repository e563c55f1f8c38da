import type { ProviderKeys } from '@gatebook/commands/oauth/oauth-providers';
import { testKeys } from '@gatebook/commands/oauth/test-keys';
import {
  DomainTestBody,
  DomainTestView,
  ProviderTestBody,
  ProviderTestView,
} from '@gatebook/contract/connection-tests';
import { OutgoingError, sendRequest } from '@gatebook/runtime/outgoing/send-request';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { callbackUrlOf } from '../oauth/authorization-context.ts';

const tags = ['Projects'];

export const testProviderRoute = defineRoute({
  method: 'POST',
  path: '/internal/projects/current/oauth-providers/test',
  access: adminOnly,
  limit: 'test-issuer',
  tags,
  summary: 'Test client ID and secret of an OAuth provider',
  description:
    'Exchanges a code that the provider never issued. It rejects the code only if client ID and secret are right. Does not check the callback URL.',
  body: ProviderTestBody,
  response: { 200: ProviderTestView },
  handle: async ({ deps, body }) => {
    const result = await testKeys(deps.oauthProviders, toKeys(body), callbackUrlOf(deps, body.id));
    return { position: null, body: { result } };
  },
});

function toKeys(body: ProviderTestBody): ProviderKeys {
  const client = { clientId: body.client_id, clientSecret: body.client_secret };
  if (body.type === 'openid') return { id: body.id, type: 'openid', issuer: body.issuer, ...client };
  const { id, facebook_config_id: facebookConfigId, microsoft_tenant_id: microsoftTenantId } = body;
  return { id, type: 'standard', ...client, facebookConfigId, microsoftTenantId };
}

const deadlineMs = 5_000;
const maxResponseBytes = 16_384;

export const testDomainRoute = defineRoute({
  method: 'POST',
  path: '/internal/projects/current/domains/test',
  access: adminOnly,
  limit: 'test-issuer',
  tags,
  summary: 'Test whether the sign-in page of a trusted domain answers',
  description: 'Requests the page from the server, once and without following redirects.',
  body: DomainTestBody,
  response: { 200: DomainTestView },
  handle: async ({ deps, body }) => {
    const url = signInPageOf(body);
    const { allowPrivate } = deps.config.outgoing;
    const limits = { deadlineMs, maxResponseBytes, isCut: true, allowPrivate };
    const headers = { accept: 'text/html', 'user-agent': 'Gatebook' };
    try {
      const { status } = await sendRequest(url, { method: 'GET', headers }, limits);
      return { position: null, body: { url, status, reason: null } };
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      const { reason: why } = error;
      const reason = why === 'forbidden' ? 'not_allowed' : why === 'timeout' ? 'timeout' : 'unreachable';
      return { position: null, body: { url, status: null, reason } as const };
    }
  },
});

function signInPageOf({ domain, handler_path }: DomainTestBody): string {
  const path = `${handler_path.replace(/\/+$/, '')}/sign-in`;
  const url = new URL(domain);
  // A path that begins with two slashes would name another host.
  url.pathname = path;
  url.search = '';
  url.hash = '';
  return url.href;
}
