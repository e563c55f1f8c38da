import { z } from 'zod';
import { accountId, type ProviderEntry, profileRequest, readAs, told, toldTrue } from '../provider.ts';

const User = z.object({
  id: accountId,
  global_name: told,
  username: told,
  avatar: told,
  email: told,
  verified: toldTrue,
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
    read: readAs(z.tuple([User]), ([user]) => ({
      accountId: user.id,
      displayName: user.global_name || user.username,
      profileImageUrl: user.avatar ? imageUrl(String(user.id), user.avatar) : null,
      email: user.email,
      isEmailVerified: user.verified,
    })),
  },
};

/** Both are plain numbers and letters. The hash of a moving picture begins with `a_`. */
function imageUrl(id: string, avatar: string): string | null {
  if (!/^\w+$/.test(id) || !/^\w+$/.test(avatar)) return null;
  return `https://cdn.discordapp.com/avatars/${id}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`;
}
