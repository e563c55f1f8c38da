import { z } from 'zod';
import { accountId, listOf, optionalText, type ProviderEntry, parseProfile, profileRequest } from '../provider.ts';

const Images = listOf(z.object({ url: optionalText }))
  .nullish()
  .catch(null);
const User = z.object({ id: accountId, display_name: optionalText, images: Images, email: optionalText });

/**
 * https://developer.spotify.com/documentation/web-api/reference/get-current-users-profile: the email is not verified.
 */
export const spotify: ProviderEntry = {
  id: 'spotify',
  issuer: 'https://accounts.spotify.com',
  authorizationEndpoint: 'https://accounts.spotify.com/authorize',
  tokenEndpoint: 'https://accounts.spotify.com/api/token',
  idTokenKeys: null,
  baseScopes: ['user-read-email', 'user-read-private'],
  usesPkce: true,
  clientAuthentication: 'basic',
  profile: {
    url: 'https://api.spotify.com/v1/me',
    requests: [profileRequest],
    read: parseProfile(z.tuple([User]), ([user]) => ({
      accountId: user.id,
      displayName: user.display_name,
      profileImageUrl: user.images?.[0]?.url,
      email: user.email,
    })),
  },
};
