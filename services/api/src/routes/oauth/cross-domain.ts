import { issueCrossDomainCode } from '@gatebook/commands/oauth/cross-domain';
import { CrossDomainAuthorize, CrossDomainRedirect } from '@gatebook/contract/oauth';
import { reject } from '@gatebook/domain/errors';
import { findSessionByRefreshToken } from '@gatebook/readmodel/sessions/queries';
import { sha256 } from '@gatebook/runtime/hash';
import { z } from 'zod';
import { clientAndUp } from '../../access.ts';
import { stackHeader } from '../../http/conventions.ts';
import { defineRoute } from '../../http/define-route.ts';

/** (protocol, auth §8.10) */
export const crossDomainAuthorizeRoute = defineRoute({
  method: 'POST',
  path: '/auth/oauth/cross-domain/authorize',
  access: clientAndUp,
  session: 'own',
  limit: 'oauth',
  errors: ['USER_AUTHENTICATION_REQUIRED', 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', 'REDIRECT_URL_NOT_WHITELISTED'],
  tags: ['OAuth'],
  summary: 'Continue the session on another trusted domain',
  description:
    'Returns a URL with a one-time code of two minutes. The other domain redeems it with its PKCE verifier and gets the tokens of the same session. The refresh token is sent in the `x-stack-refresh-token` header.',
  headers: z.object({ 'x-stack-refresh-token': z.string().max(1_024) }),
  body: CrossDomainAuthorize,
  response: { 200: CrossDomainRedirect },
  handle: async ({ deps, request, caller, context, body }) => {
    const { projectId, project, token, user } = caller;
    if (!token || !user) return reject('USER_AUTHENTICATION_REQUIRED');
    const refreshToken = stackHeader(request, 'refresh-token') ?? '';
    const found = await findSessionByRefreshToken(deps.db, projectId, sha256(refreshToken));
    const sessionId = found?.session.id;
    if (sessionId === undefined || sessionId !== token.sessionId) return reject('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
    const { location } = await issueCrossDomainCode(deps, context, {
      project,
      sessionId,
      refreshToken,
      redirectUri: body.redirect_uri,
      state: body.state,
      codeChallenge: body.code_challenge,
      afterCallbackRedirectUrl: body.after_callback_redirect_url ?? null,
    });
    // The code is read from its stream, so there is nothing to wait for.
    return { position: null, body: { redirect_url: location } };
  },
});
