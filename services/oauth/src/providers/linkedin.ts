import { z } from 'zod';
import { accountId, codeErrorByText, type ProviderEntry, profileRequest, readAs, told, toldTrue } from '../provider.ts';

const User = z.object({ sub: accountId, name: told, picture: told, email: told, email_verified: toldTrue });

/**
 * https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2. PKCE is for apps
 * that it has registered as native only; with others it rejects the verifier.
 */
export const linkedin: ProviderEntry = {
  id: 'linkedin',
  issuer: 'https://www.linkedin.com/oauth',
  authorizationEndpoint: 'https://www.linkedin.com/oauth/v2/authorization',
  tokenEndpoint: 'https://www.linkedin.com/oauth/v2/accessToken',
  idTokenKeys: 'https://www.linkedin.com/oauth/openid/jwks',
  isSubjectAccountId: true,
  baseScopes: ['openid', 'profile', 'email'],
  usesPkce: false,
  clientAuthentication: 'body',
  tokenError: codeErrorByText,
  profile: {
    url: 'https://api.linkedin.com/v2/userinfo',
    requests: [profileRequest],
    read: readAs(z.tuple([User]), ([user]) => ({
      accountId: user.sub,
      displayName: user.name,
      profileImageUrl: user.picture,
      email: user.email,
      isEmailVerified: user.email_verified,
    })),
  },
};
