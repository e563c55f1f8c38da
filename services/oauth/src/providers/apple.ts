import { z } from 'zod';
import { accountId, type ProviderEntry, readAs, told, toldTrue } from '../provider.ts';

/** `email_verified` is a text in some of its tokens and a flag in others. */
const Claims = z.object({ sub: accountId, email: told, email_verified: toldTrue });

/**
 * https://developer.apple.com/documentation/signinwithapplerestapi. Scopes are only given with an answer by form post. The
 * client secret is a token that the owner signs, good for half a year at most.
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
    read: readAs(z.tuple([Claims]), ([claims]) => ({
      accountId: claims.sub,
      email: claims.email,
      isEmailVerified: claims.email_verified,
    })),
  },
};
