import { z } from 'zod';
import { accountId, optionalText, type ProviderEntry, parseProfile, trueFlag } from '../provider.ts';

/** `email_verified` is a string in some tokens and a boolean in others. */
const Claims = z.object({ sub: accountId, email: optionalText, email_verified: trueFlag });

/**
 * https://developer.apple.com/documentation/signinwithapplerestapi. Scopes require a response by form post. The client
 * secret is a token signed by the owner, valid for at most half a year.
 */
export const apple: ProviderEntry = {
  id: 'apple',
  issuer: 'https://appleid.apple.com',
  authorizationEndpoint: 'https://appleid.apple.com/auth/authorize',
  tokenEndpoint: 'https://appleid.apple.com/auth/token',
  idTokenKeys: 'https://appleid.apple.com/auth/keys',
  isSubjectAccountId: true,
  baseScopes: ['name', 'email'],
  usesPkce: true,
  clientAuthentication: 'body',
  parameters: () => ({ response_mode: 'form_post' }),
  profile: {
    url: null,
    requests: [],
    read: parseProfile(z.tuple([Claims]), ([claims]) => ({
      accountId: claims.sub,
      email: claims.email,
      isEmailVerified: claims.email_verified,
    })),
  },
};
