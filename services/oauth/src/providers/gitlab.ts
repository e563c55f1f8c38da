import { z } from 'zod';
import { accountId, listOf, optionalText, type ProviderEntry, parseProfile, profileRequest } from '../provider.ts';

const User = z.object({ id: accountId, name: optionalText, avatar_url: optionalText, email: optionalText });
const Emails = listOf(z.object({ email: z.string(), confirmed_at: optionalText }));

/** https://docs.gitlab.com/api/oauth2/, …/api/users/ and …/api/user_email_addresses/ */
export const gitlab: ProviderEntry = {
  id: 'gitlab',
  issuer: 'https://gitlab.com',
  authorizationEndpoint: 'https://gitlab.com/oauth/authorize',
  tokenEndpoint: 'https://gitlab.com/oauth/token',
  idTokenKeys: null,
  baseScopes: ['read_user'],
  usesPkce: true,
  clientAuthentication: 'basic',
  profile: {
    url: 'https://gitlab.com/api/v4/user',
    requests: [profileRequest, { url: (base) => `${base}/emails` }],
    read: parseProfile(z.tuple([User, Emails]), ([user, emails]) => ({
      accountId: user.id,
      displayName: user.name,
      profileImageUrl: user.avatar_url,
      email: user.email,
      isEmailVerified: Boolean(emails.find((each) => each.email === user.email)?.confirmed_at),
    })),
  },
};
