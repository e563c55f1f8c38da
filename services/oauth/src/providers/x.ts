import { z } from 'zod';
import {
  accountId,
  detectCodeError,
  optionalText,
  type ProviderEntry,
  parseProfile,
  profileRequest,
} from '../provider.ts';

const User = z.object({
  data: z.object({ id: accountId, name: optionalText, username: optionalText, profile_image_url: optionalText }),
});

/** https://docs.x.com/resources/fundamentals/authentication/oauth-2-0/authorization-code. X never returns an email. */
export const x: ProviderEntry = {
  id: 'x',
  issuer: null,
  authorizationEndpoint: 'https://twitter.com/i/oauth2/authorize',
  tokenEndpoint: 'https://api.x.com/2/oauth2/token',
  idTokenKeys: null,
  baseScopes: ['users.read', 'offline.access', 'tweet.read'],
  usesPkce: true,
  clientAuthentication: 'basic',
  tokenError: detectCodeError,
  profile: {
    url: 'https://api.x.com/2/users/me?user.fields=id,name,profile_image_url',
    requests: [profileRequest],
    read: parseProfile(z.tuple([User]), ([{ data: user }]) => ({
      accountId: user.id,
      displayName: user.name || user.username,
      profileImageUrl: user.profile_image_url,
    })),
  },
};
