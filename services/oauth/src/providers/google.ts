import { z } from 'zod';
import { accountId, optionalText, type ProviderEntry, parseProfile, profileRequest, trueFlag } from '../provider.ts';

const User = z.object({
  sub: accountId,
  name: optionalText,
  picture: optionalText,
  email: optionalText,
  email_verified: trueFlag,
});

/** https://developers.google.com/identity/openid-connect/openid-connect */
export const google: ProviderEntry = {
  id: 'google',
  issuer: 'https://accounts.google.com',
  authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenEndpoint: 'https://oauth2.googleapis.com/token',
  idTokenKeys: 'https://www.googleapis.com/oauth2/v3/certs',
  isSubjectAccountId: true,
  baseScopes: ['https://www.googleapis.com/auth/userinfo.email', 'https://www.googleapis.com/auth/userinfo.profile'],
  usesPkce: true,
  clientAuthentication: 'basic',
  profile: {
    url: 'https://openidconnect.googleapis.com/v1/userinfo',
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
