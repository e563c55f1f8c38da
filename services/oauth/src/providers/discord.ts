import { z } from 'zod';
import { accountId, optionalText, type ProviderEntry, parseProfile, profileRequest, trueFlag } from '../provider.ts';

const User = z.object({
  id: accountId,
  global_name: optionalText,
  username: optionalText,
  avatar: optionalText,
  email: optionalText,
  verified: trueFlag,
});

/** https://discord.com/developers/docs/topics/oauth2 and …/resources/user; images: …/reference#image-formatting */
export const discord: ProviderEntry = {
  id: 'discord',
  issuer: 'https://discord.com',
  authorizationEndpoint: 'https://discord.com/oauth2/authorize',
  tokenEndpoint: 'https://discord.com/api/oauth2/token',
  idTokenKeys: null,
  baseScopes: ['identify', 'email'],
  usesPkce: true,
  clientAuthentication: 'basic',
  profile: {
    url: 'https://discord.com/api/users/@me',
    requests: [profileRequest],
    read: parseProfile(z.tuple([User]), ([user]) => ({
      accountId: user.id,
      displayName: user.global_name || user.username,
      profileImageUrl: user.avatar ? buildImageUrl(String(user.id), user.avatar) : null,
      email: user.email,
      isEmailVerified: user.verified,
    })),
  },
};

/** ID and hash are alphanumeric. The hash of an animated image starts with `a_`. */
function buildImageUrl(id: string, avatar: string): string | null {
  if (!/^\w+$/.test(id) || !/^\w+$/.test(avatar)) return null;
  return `https://cdn.discordapp.com/avatars/${id}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`;
}
