import { z } from 'zod';
import {
  accountId,
  detectCodeError,
  optionalText,
  type ProviderEntry,
  parseProfile,
  profileRequest,
  trueFlag,
} from '../provider.ts';

const User = z.object({
  sub: accountId,
  name: optionalText,
  picture: optionalText,
  email: optionalText,
  email_verified: trueFlag,
});

/**
 * https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2. PKCE is only
 * for apps that are registered as native; for others, LinkedIn rejects the verifier.
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
  tokenError: detectCodeError,
  profile: {
    url: 'https://api.linkedin.com/v2/userinfo',
    requests: [profileRequest],
    read: parseProfile(z.tuple([User]), ([user]) => ({
      accountId: user.sub,
      displayName: user.name,
      profileImageUrl: user.picture,
      email: user.email,
      isEmailVerified: user.email_verified,
    })),
  },
};
